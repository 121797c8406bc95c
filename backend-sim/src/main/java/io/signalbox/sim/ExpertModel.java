// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.experts.ModelShape;

/** Seeded routed experts with skew. */
public final class ExpertModel
{
    /** Rises whenever the same arguments would give other rows. */
    public static final int VERSION = 1;

    private final ModelShape shape;

    public ExpertModel(final ModelShape shape, final long seed, final double skew)
    {
        this.shape = shape;
    }

    public ModelShape shape()
    {
        return shape;
    }
}
