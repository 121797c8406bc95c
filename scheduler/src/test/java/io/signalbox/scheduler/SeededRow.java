// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.experts.ModelShape;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/** A row of routed experts as a function of a seed, with combine weights if the shape has them. */
final class SeededRow
{
    private SeededRow()
    {
    }

    static void write(final long seed, final ModelShape shape, final MutableDirectBuffer rows, final int offset)
    {
        final int idBytes = shape.idBytes();
        for (int place = 0; place < shape.rowIds(); place++)
        {
            final int id = expert(seed, shape, place);
            for (int i = 0; i < idBytes; i++)
            {
                rows.putByte(offset + place * idBytes + i, (byte)(id >>> (Byte.SIZE * i)));
            }
            if (shape.combineWeights())
            {
                rows.putFloat(
                    offset + shape.idsBytes() + place * Float.BYTES, combineWeight(seed, place), ByteOrder.LITTLE_ENDIAN);
            }
        }
    }

    /** One id of a row: in range and distinct within its layer; every fourth layer begins with the highest id. */
    static int expert(final long seed, final ModelShape shape, final int place)
    {
        final int experts = shape.experts();
        final long layer = StateDigest.mix(seed, place / shape.topK());
        final int first = (layer & 3) == 0 ? experts - 1 : (int)((layer >>> 2) % experts);
        final int widest = Math.max(1, (experts - 1) / Math.max(1, shape.topK() - 1));
        final int apart = 1 + (int)((layer >>> 33) % widest);
        return (int)((first + (long)(place % shape.topK()) * apart) % experts);
    }

    /** Positive, and another one for each seed and place, however few bits of the seeds differ. */
    static float combineWeight(final long seed, final int place)
    {
        return (1 + (StateDigest.mix(seed, 1000 + place) >>> 41)) * 0x1p-23f;
    }
}
