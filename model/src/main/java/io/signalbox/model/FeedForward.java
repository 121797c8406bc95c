// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * Weights of an MLP or of an expert: gate and up [width, hidden], down [hidden, width].
 *
 * @param biases {@code null}: none.
 */
public record FeedForward(WeightMatrix gate, WeightMatrix up, WeightMatrix down, Biases biases)
{
    /** One value per row of the matrix. */
    public record Biases(float[] gate, float[] up, float[] down)
    {
    }

    FeedForward(final WeightMatrix gate, final WeightMatrix up, final WeightMatrix down)
    {
        this(gate, up, down, null);
    }

    /** Inner width. */
    public int width()
    {
        return gate.rows();
    }
}
