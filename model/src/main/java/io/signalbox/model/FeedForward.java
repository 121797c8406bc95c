// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.stream.Stream;

/** Weights of {@code down(silu(gate(x)) * up(x))}: gate and up [width, hidden], down [hidden, width]. */
public record FeedForward(WeightMatrix gate, WeightMatrix up, WeightMatrix down)
{
    /** {@code null} for {@code null}. */
    static FeedForward inBf16(final FeedForward weights)
    {
        return weights == null ? null :
            new FeedForward(weights.gate.inBf16(), weights.up.inBf16(), weights.down.inBf16());
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
