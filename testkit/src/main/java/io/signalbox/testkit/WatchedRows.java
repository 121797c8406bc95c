// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.RowsChecksum;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RowCheck;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.function.Consumer;

/** The rows of one step: checks at their release that they are those that were reported. */
final class WatchedRows implements CaptureSlice
{
    private final CaptureSlice rows;
    private final String step;
    private final Consumer<String> findings;
    private final long reported;

    WatchedRows(final CaptureSlice rows, final String step, final Consumer<String> findings)
    {
        this.rows = rows;
        this.step = step;
        this.findings = findings;
        reported = sum();
    }

    private long sum()
    {
        final int length = Math.max(0, rows.rowCount()) * Math.max(0, rows.rowBytes());
        final DirectBuffer buffer = rows.buffer();
        return buffer == null || rows.offset() < 0 || rows.offset() + length > buffer.capacity() ? 0 :
            new RowsChecksum().of(buffer, rows.offset(), length);
    }

    /** Notes the rows of tokens that count as computed, except those that are missing. */
    void remember(final RowOracle oracle, final ModelShape shape, final PlanCopy plan, final StepTokens results)
    {
        if (rows.rowBytes() != shape.rowBytes() || rows.rowCount() != plan.tokens())
        {
            // The engine refuses them by name.
            return;
        }
        int row = 0;
        for (int i = 0; i < plan.entries().size(); i++)
        {
            final PlanCopy.Entry entry = plan.entries().get(i);
            final int start = results.start(i);
            final int computed = entry.computed(start, results.accepted(i));
            for (int token = 0; token < entry.count(); token++, row++)
            {
                final int at = rows.offset() + row * shape.rowBytes();
                if (token < computed && (!rows.declaresRows() || rows.isValid(row)) &&
                    !RowCheck.isMarked(shape, rows.buffer(), at))
                {
                    oracle.computed(entry.requestId(), start + token, ids(shape, at), weights(shape, at));
                }
            }
        }
    }

    private short[] ids(final ModelShape shape, final int at)
    {
        final short[] ids = new short[shape.rowIds()];
        for (int i = 0; i < ids.length; i++)
        {
            final int low = rows.buffer().getByte(at + i * shape.idBytes()) & 0xFF;
            ids[i] = (short)(shape.idBytes() == 1 ? low : low | rows.buffer().getByte(at + i * 2 + 1) << Byte.SIZE);
        }
        return ids;
    }

    private float[] weights(final ModelShape shape, final int at)
    {
        final float[] weights = new float[shape.combineWeights() ? shape.rowIds() : 0];
        for (int i = 0; i < weights.length; i++)
        {
            weights[i] =
                rows.buffer().getFloat(at + shape.idsBytes() + i * ModelShape.WEIGHT_BYTES, ByteOrder.LITTLE_ENDIAN);
        }
        return weights;
    }

    @Override
    public DirectBuffer buffer()
    {
        return rows.buffer();
    }

    @Override
    public int offset()
    {
        return rows.offset();
    }

    @Override
    public int rowCount()
    {
        return rows.rowCount();
    }

    @Override
    public int rowBytes()
    {
        return rows.rowBytes();
    }

    @Override
    public long checksum()
    {
        return rows.checksum();
    }

    @Override
    public boolean declaresRows()
    {
        return rows.declaresRows();
    }

    @Override
    public boolean isValid(final int row)
    {
        return rows.isValid(row);
    }

    @Override
    public void release()
    {
        if (sum() != reported)
        {
            findings.accept("changed the rows of " + step + " before they were released");
        }
        rows.release();
    }
}
