// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.experts.ModelShape;
import io.signalbox.workload.SplitMix64;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/**
 * Combine weights of simulated experts: those of a layer are positive and descend, and their sum is 1 but for rounding, as
 * of a softmax over the chosen experts. A pure function of the row's bits. Not thread-safe.
 */
final class CombineWeightModel
{
    private static final long WEIGHT_GAMMA = 0xD1B54A32D192ED03L;
    /** Shares are 1 to 65,536: the sum of a layer is exact as an int. */
    private static final int SHARE_BITS = 16;

    private final ModelShape shape;
    private final int[] shares;

    CombineWeightModel(final ModelShape shape)
    {
        this.shape = shape;
        shares = new int[shape.topK()];
    }

    /**
     * Writes the weights of one row as little-endian float32, {@code [MoE layer][k]}.
     *
     * @return the offset behind them.
     */
    int write(final long rowBits, final MutableDirectBuffer target, final int offset)
    {
        int at = offset;
        long bits = ~rowBits;
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            int sum = 0;
            for (int k = 0; k < shares.length; k++)
            {
                bits += WEIGHT_GAMMA;
                final int share = 1 + (int)(SplitMix64.mix(bits) >>> Long.SIZE - SHARE_BITS);
                insert(share, k);
                sum += share;
            }
            for (final int share : shares)
            {
                // One correctly rounded division of exact numbers: the same bits on every machine.
                target.putFloat(at, (float)share / sum, ByteOrder.LITTLE_ENDIAN);
                at += Float.BYTES;
            }
        }
        return at;
    }

    /** Keeps the first {@code count} shares in descending order. */
    private void insert(final int share, final int count)
    {
        int place = count;
        while (place > 0 && shares[place - 1] < share)
        {
            shares[place] = shares[place - 1];
            place--;
        }
        shares[place] = share;
    }
}
