// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.util.Arrays;

/**
 * The one order in which this package adds up floats, for sums within a token: 32 lanes, of which lane {@code i} begins
 * with 0 and adds the elements {@code i}, {@code i + 32}, {@code i + 64}, ...; then lane {@code i} adds lane {@code i + 16},
 * then {@code i + 8}, 4, 2 and 1, and lane 0 has the sum. Products are rounded before they are added: there is no fused
 * multiply-add. A warp of a GPU computes the same bits with one lane per thread and an exchange of lanes, and a processor
 * with vectors of 4, 8, 16 or 32 lanes.
 *
 * <p>Elements of 0 at the end change nothing, because a lane that begins with +0 never becomes -0.
 */
final class LaneSum
{
    static final int LANES = 32;

    private LaneSum()
    {
    }

    /** Adds up 32 lanes; they are lost. */
    static float ofLanes(final float[] lanes)
    {
        for (int half = LANES / 2; half > 0; half >>= 1)
        {
            for (int i = 0; i < half; i++)
            {
                lanes[i] += lanes[i + half];
            }
        }
        return lanes[0];
    }

    /** The sum of the first elements from {@code at} on. */
    static float of(final float[] values, final int at, final int count, final float[] lanes)
    {
        Arrays.fill(lanes, 0, LANES, 0.0f);
        for (int i = 0; i < count; i++)
        {
            lanes[i % LANES] += values[at + i];
        }
        return ofLanes(lanes);
    }

    /** The sum of the squares of the first elements from {@code at} on. */
    static float ofSquares(final float[] values, final int at, final int count, final float[] lanes)
    {
        Arrays.fill(lanes, 0, LANES, 0.0f);
        for (int i = 0; i < count; i++)
        {
            lanes[i % LANES] += values[at + i] * values[at + i];
        }
        return ofLanes(lanes);
    }
}
