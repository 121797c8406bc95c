// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.cuda.capture.CaptureSlot;

import java.nio.ByteOrder;
import java.util.Arrays;

/** The results of a step. */
final class ReceivedStep
{
    private static final int BYTE_MASK = 0xFF;

    private final int layers;
    private final int topK;
    private final int idBytes;
    private final int[] sampled;
    private int sampledCount;
    private CaptureSlice rows;
    private String fault;
    private int slot;
    private long step;

    ReceivedStep(final StepSetup setup)
    {
        layers = setup.layers();
        topK = setup.spec().topK();
        idBytes = setup.spec().idBytes();
        sampled = new int[setup.tokens()];
    }

    void complete(final CaptureSlot of, final int[] sampledTokens, final int count, final CaptureSlice slice)
    {
        System.arraycopy(sampledTokens, 0, sampled, 0, count);
        sampledCount = count;
        rows = slice;
        fault = null;
        step = of.step();
        slot = of.index();
    }

    void complete(final StepTokens results, final CaptureSlice slice)
    {
        for (int i = 0; i < results.tokenCount(); i++)
        {
            sampled[i] = results.token(i);
        }
        sampledCount = results.tokenCount();
        rows = slice;
        fault = null;
        step = results.step();
    }

    void fail(final CaptureSlot of, final String sentence)
    {
        sampledCount = 0;
        rows = null;
        fault = sentence;
        slot = of.index();
        step = of.step();
    }

    /** Lets the ring use the rows' memory again. */
    void release()
    {
        if (rows != null)
        {
            rows.release();
            rows = null;
        }
    }

    /** The step that came last, 0 before the first. */
    long step()
    {
        return step;
    }

    /** Why the ring refused the result, or null. */
    String fault()
    {
        return fault;
    }

    /** The slot of the ring that the step used. */
    int slot()
    {
        return slot;
    }

    int sampledCount()
    {
        return sampledCount;
    }

    int sampledToken(final int row)
    {
        return sampled[row];
    }

    int rowCount()
    {
        return rows.rowCount();
    }

    int expert(final int token, final int layer, final int k)
    {
        final int at = rows.offset() + ((token * layers + layer) * topK + k) * idBytes;
        return idBytes == Byte.BYTES ? rows.buffer().getByte(at) & BYTE_MASK
            : rows.buffer().getShort(at, ByteOrder.LITTLE_ENDIAN);
    }

    /** All rows, in storage width; empty if capture is disabled. */
    byte[] rowBytes()
    {
        final byte[] bytes = new byte[rows == null ? 0 : rows.rowCount() * rows.rowBytes()];
        if (rows != null)
        {
            rows.buffer().getBytes(rows.offset(), bytes);
        }
        return bytes;
    }

    /** Whether another step brought the same tokens and rows, bit for bit. */
    boolean isSameAs(final ReceivedStep other)
    {
        return Arrays.equals(sampled, 0, sampledCount, other.sampled, 0, other.sampledCount) &&
            Arrays.equals(rowBytes(), other.rowBytes());
    }
}
