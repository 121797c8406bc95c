// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/** Weights of {@code down(silu(gate(x)) * up(x))}: gate and up [width, hidden], down [hidden, width]. */
public record FeedForward(WeightMatrix gate, WeightMatrix up, WeightMatrix down)
{
    /** Inner width. */
    public int width()
    {
        return gate.rows();
    }
}
