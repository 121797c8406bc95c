// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport.ExpertSkew;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Counts tokens per expert and layer. */
final class ExpertLoad
{
    private final ModelShape shape;
    private final long[] counts;

    ExpertLoad(final ModelShape shape)
    {
        this.shape = shape;
        counts = new long[shape.moeLayers() * shape.experts()];
    }

    /** @param rows in storage width, {@code [token][MoE layer][k]}. */
    void add(final DirectBuffer rows, final int offset, final int rowCount)
    {
        if (shape.idBytes() == 1)
        {
            addBytes(rows, offset, rowCount);
        }
        else
        {
            addShorts(rows, offset, rowCount);
        }
    }

    private void addBytes(final DirectBuffer rows, final int offset, final int rowCount)
    {
        int at = offset;
        for (int row = 0; row < rowCount; row++)
        {
            for (int layerStart = 0; layerStart < counts.length; layerStart += shape.experts())
            {
                for (int k = 0; k < shape.topK(); k++)
                {
                    counts[layerStart + (rows.getByte(at++) & 0xFF)]++;
                }
            }
        }
    }

    private void addShorts(final DirectBuffer rows, final int offset, final int rowCount)
    {
        int at = offset;
        for (int row = 0; row < rowCount; row++)
        {
            for (int layerStart = 0; layerStart < counts.length; layerStart += shape.experts())
            {
                for (int k = 0; k < shape.topK(); k++)
                {
                    counts[layerStart + rows.getShort(at, ByteOrder.LITTLE_ENDIAN)]++;
                    at += Short.BYTES;
                }
            }
        }
    }

    /** What this counter and another one of the same shape have counted. */
    ExpertLoad plus(final ExpertLoad other)
    {
        final ExpertLoad sum = new ExpertLoad(shape);
        for (int i = 0; i < counts.length; i++)
        {
            sum.counts[i] = counts[i] + other.counts[i];
        }
        return sum;
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
            return new ExpertSkew(0.0, 0.0);
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
