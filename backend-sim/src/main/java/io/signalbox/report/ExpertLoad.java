// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RowCheck;
import io.signalbox.report.RunReport.ExpertSkew;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts tokens per expert and layer; {@link #plus} gives the counts that figures can be taken from. Rows that are marked
 * as missing do not count.
 */
final class ExpertLoad
{
    private static final int BYTE_VALUES = 256;
    private static final int BYTE_MASK = BYTE_VALUES - 1;
    private static final int SHORT_MASK = 0xFFFF;

    private final ModelShape shape;
    /** Bytes behind the ids of a row. */
    private final int weightsBytes;
    private final long[] counts;
    /**
     * If ids are bytes: tokens per byte of a row and value of that byte; {@link #plus} folds them into counts. More
     * places to count at than layers keep one increment from waiting for the last.
     */
    private final long[] byteCounts;
    /** Otherwise the ids of a marked row are no experts, and {@link #plus} drops them. */
    private final boolean marksLookLikeExperts;

    ExpertLoad(final ModelShape shape)
    {
        this.shape = shape;
        weightsBytes = shape.rowBytes() - shape.idsBytes();
        counts = new long[shape.moeLayers() * shape.experts()];
        byteCounts = new long[shape.idBytes() == 1 ? shape.idsBytes() * BYTE_VALUES : 0];
        marksLookLikeExperts = shape.idBytes() != 1 || shape.experts() == BYTE_VALUES;
    }

    /** @param rows in storage width; their combine weights are passed over. */
    void add(final DirectBuffer rows, final int offset, final int rowCount)
    {
        int from = 0;
        for (int row = 0; marksLookLikeExperts && row < rowCount; row++)
        {
            if (RowCheck.isMarked(shape, rows, offset + row * shape.rowBytes()))
            {
                addSound(rows, offset + from * shape.rowBytes(), row - from);
                from = row + 1;
            }
        }
        addSound(rows, offset + from * shape.rowBytes(), rowCount - from);
    }

    private void addSound(final DirectBuffer rows, final int offset, final int rowCount)
    {
        if (shape.idBytes() != 1)
        {
            addWideIds(rows, offset, rowCount);
        }
        else if (shape.idsBytes() % Long.BYTES == 0)
        {
            addWords(rows, offset, rowCount);
        }
        else
        {
            addBytes(rows, offset, rowCount);
        }
    }

    private void addWords(final DirectBuffer rows, final int offset, final int rowCount)
    {
        int at = offset;
        for (int row = 0; row < rowCount; row++)
        {
            for (int place = 0; place < byteCounts.length; place += Long.BYTES * BYTE_VALUES)
            {
                final long word = rows.getLong(at, ByteOrder.LITTLE_ENDIAN);
                byteCounts[place + (int)(word & BYTE_MASK)]++;
                byteCounts[place + BYTE_VALUES + (int)(word >>> 8 & BYTE_MASK)]++;
                byteCounts[place + 2 * BYTE_VALUES + (int)(word >>> 16 & BYTE_MASK)]++;
                byteCounts[place + 3 * BYTE_VALUES + (int)(word >>> 24 & BYTE_MASK)]++;
                byteCounts[place + 4 * BYTE_VALUES + (int)(word >>> 32 & BYTE_MASK)]++;
                byteCounts[place + 5 * BYTE_VALUES + (int)(word >>> 40 & BYTE_MASK)]++;
                byteCounts[place + 6 * BYTE_VALUES + (int)(word >>> 48 & BYTE_MASK)]++;
                byteCounts[place + 7 * BYTE_VALUES + (int)(word >>> 56)]++;
                at += Long.BYTES;
            }
            at += weightsBytes;
        }
    }

    private void addBytes(final DirectBuffer rows, final int offset, final int rowCount)
    {
        int at = offset;
        for (int row = 0; row < rowCount; row++)
        {
            for (int place = 0; place < byteCounts.length; place += BYTE_VALUES)
            {
                byteCounts[place + (rows.getByte(at++) & BYTE_MASK)]++;
            }
            at += weightsBytes;
        }
    }

    private void addWideIds(final DirectBuffer rows, final int offset, final int rowCount)
    {
        int at = offset;
        for (int row = 0; row < rowCount; row++)
        {
            for (int layerStart = 0; layerStart < counts.length; layerStart += shape.experts())
            {
                for (int k = 0; k < shape.topK(); k++)
                {
                    final int id = shape.idBytes() == Short.BYTES ?
                        rows.getShort(at, ByteOrder.LITTLE_ENDIAN) & SHORT_MASK : rows.getInt(at, ByteOrder.LITTLE_ENDIAN);
                    counts[layerStart + id]++;
                    at += shape.idBytes();
                }
            }
            at += weightsBytes;
        }
    }

    /** The counts of this counter and of another one of the same shape. */
    ExpertLoad plus(final ExpertLoad other)
    {
        final ExpertLoad sum = new ExpertLoad(shape);
        for (int i = 0; i < counts.length; i++)
        {
            sum.counts[i] = counts[i] + other.counts[i];
        }
        for (int i = 0; i < byteCounts.length; i++)
        {
            final long count = byteCounts[i] + other.byteCounts[i];
            if (count > 0 && i % BYTE_VALUES < shape.experts())
            {
                final int layer = i / BYTE_VALUES / shape.topK();
                sum.counts[layer * shape.experts() + i % BYTE_VALUES] += count;
            }
        }
        return sum;
    }

    /** Whether the rows have combine weights, which do not count here. */
    boolean hasCombineWeights()
    {
        return shape.combineWeights();
    }

    /** Over every pair of layer and expert. */
    ExpertSkew overall()
    {
        return skew(0, counts.length);
    }

    List<ExpertSkew> layers()
    {
        final List<ExpertSkew> layers = new ArrayList<>(shape.moeLayers());
        for (int layerStart = 0; layerStart < counts.length; layerStart += shape.experts())
        {
            layers.add(skew(layerStart, layerStart + shape.experts()));
        }
        return layers;
    }

    private ExpertSkew skew(final int from, final int to)
    {
        long sum = 0;
        long max = 0;
        for (int i = from; i < to; i++)
        {
            sum += counts[i];
            max = Math.max(max, counts[i]);
        }
        if (sum == 0)
        {
            return new ExpertSkew(Double.NaN, Double.NaN);
        }
        final double mean = (double)sum / (to - from);
        double squares = 0.0;
        for (int i = from; i < to; i++)
        {
            squares += (counts[i] - mean) * (counts[i] - mean);
        }
        return new ExpertSkew(max / mean, StrictMath.sqrt(squares / (to - from)) / mean);
    }
}
