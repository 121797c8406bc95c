// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.stream.Stream;

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
        private Biases inBf16()
        {
            return new Biases(WeightType.inBf16(gate), WeightType.inBf16(up), WeightType.inBf16(down));
        }
    }

    FeedForward(final WeightMatrix gate, final WeightMatrix up, final WeightMatrix down)
    {
        this(gate, up, down, null);
    }

    /** {@code null} for {@code null}. */
    static FeedForward inBf16(final FeedForward weights)
    {
        return weights == null ? null : new FeedForward(weights.gate.inBf16(), weights.up.inBf16(), weights.down.inBf16(),
            weights.biases == null ? null : weights.biases.inBf16());
    }

    /** Gate, up and down; none for {@code null}. */
    public static Stream<WeightMatrix> matrices(final FeedForward weights)
    {
        return weights == null ? Stream.of() : Stream.of(weights.gate, weights.up, weights.down);
    }

    /** Inner width. */
    public int width()
    {
        return gate.rows();
    }
}
