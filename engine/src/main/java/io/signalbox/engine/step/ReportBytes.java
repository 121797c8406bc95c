// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.step;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.ForwardEncoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RowForm;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The bytes of one report as the schema lays them out: a {@code Forward}, or a {@code D2hComplete} without impossible rows
 * and log-probabilities. Nearly all reports are such; a small step has more fields around its entries than in them.
 */
public final class ReportBytes
{
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int BLOCK = MessageHeaderEncoder.ENCODED_LENGTH;
    private static final int PART_BYTES = 6;
    private static final int COUNT_IN_PART = 2;
    private static final int FORWARD_BYTES = BLOCK + ForwardEncoder.BLOCK_LENGTH;
    private static final int ENTRIES = BLOCK + D2hCompleteEncoder.BLOCK_LENGTH;
    private static final int ENTRY_BYTES = 5;
    /** Two parts and the length of the rows behind the tokens. */
    private static final int TAIL_BYTES = 2 * PART_BYTES + Integer.BYTES;
    private static final byte[] COMPLETE = emptyCompletion(ENTRIES + 2 * PART_BYTES + TAIL_BYTES);
    private static final long COMPLETE_HEADER = (long)LONGS.get(COMPLETE, 0);
    private static final long ENTRIES_PART = (long)LONGS.get(COMPLETE, ENTRIES);
    private static final long TOKENS_PART = (long)LONGS.get(COMPLETE, ENTRIES + PART_BYTES);
    private static final long TAIL_FIRST = (long)LONGS.get(COMPLETE, ENTRIES + 2 * PART_BYTES);
    private static final long TAIL_LAST = (long)LONGS.get(COMPLETE, ENTRIES + 2 * PART_BYTES + Long.BYTES);
    private static final long FORWARD_HEADER = forwardHeader();

    static
    {
        hold(ForwardEncoder.BLOCK_LENGTH == 32 && ForwardEncoder.timeNanosEncodingOffset() == 0 &&
            ForwardEncoder.stepEncodingOffset() == 8 && ForwardEncoder.deviceTimeNanosEncodingOffset() == 16 &&
            ForwardEncoder.epochEncodingOffset() == 24 && ForwardEncoder.rankEncodingOffset() == 28);
        hold(D2hCompleteEncoder.BLOCK_LENGTH == 45 && D2hCompleteEncoder.timeNanosEncodingOffset() == 0 &&
            D2hCompleteEncoder.stepEncodingOffset() == 8 && D2hCompleteEncoder.epochEncodingOffset() == 16 &&
            D2hCompleteEncoder.rankEncodingOffset() == 20 && D2hCompleteEncoder.rowCountEncodingOffset() == 24 &&
            D2hCompleteEncoder.rowBytesEncodingOffset() == 28 && D2hCompleteEncoder.rowsChecksumEncodingOffset() == 32 &&
            D2hCompleteEncoder.computeNanosEncodingOffset() == 36 && D2hCompleteEncoder.rowFormEncodingOffset() == 44);
        hold(D2hCompleteEncoder.EntriesEncoder.sbeBlockLength() == ENTRY_BYTES &&
            D2hCompleteEncoder.EntriesEncoder.startEncodingOffset() == 0 &&
            D2hCompleteEncoder.EntriesEncoder.acceptedEncodingOffset() == 4 &&
            D2hCompleteEncoder.TokensEncoder.sbeBlockLength() == Integer.BYTES &&
            D2hCompleteEncoder.rowsHeaderLength() == Integer.BYTES);
    }

    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(1024);
    private int length;

    private static void hold(final boolean isAsSupposed)
    {
        if (!isAsSupposed)
        {
            throw new InvariantViolation("the schema lays out the reports of a backend in another way than their encoding");
        }
    }

    private static byte[] emptyCompletion(final int supposed)
    {
        final byte[] bytes = new byte[supposed + Long.BYTES];
        final D2hCompleteEncoder empty = new D2hCompleteEncoder();
        empty.wrapAndApplyHeader(new UnsafeBuffer(bytes), 0, new MessageHeaderEncoder());
        empty.entriesCount(0);
        empty.tokensCount(0);
        empty.impossibleRowsCount(0);
        empty.logprobsCount(0);
        empty.putRows(bytes, 0, 0);
        hold(empty.limit() == supposed);
        return bytes;
    }

    private static long forwardHeader()
    {
        final byte[] bytes = new byte[FORWARD_BYTES];
        new ForwardEncoder().wrapAndApplyHeader(new UnsafeBuffer(bytes), 0, new MessageHeaderEncoder());
        return (long)LONGS.get(bytes, 0);
    }

    public ExpandableArrayBuffer buffer()
    {
        return buffer;
    }

    /** Length of the last report with its SBE header. */
    public int length()
    {
        return length;
    }

    public void forward(final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        final byte[] bytes = buffer.byteArray();
        LONGS.set(bytes, 0, FORWARD_HEADER);
        LONGS.set(bytes, BLOCK, timeNanos);
        LONGS.set(bytes, BLOCK + 8, step);
        LONGS.set(bytes, BLOCK + 16, deviceTimeNanos);
        LONGS.set(bytes, BLOCK + 24, word(epoch, rank));
        length = FORWARD_BYTES;
    }

    /**
     * Encodes a completion.
     *
     * @param rows   those of the message if the form is INLINE, or of the records ahead of it; null if capture is off.
     * @param inlineBytes their length if they are within the message, else 0.
     */
    public void d2hComplete(
        final long timeNanos,
        final StepTokens results,
        final CaptureSlice rows,
        final long rowsChecksum,
        final RowForm form,
        final int inlineBytes)
    {
        final int entries = ENTRIES + PART_BYTES;
        final int tokensPart = entries + results.entryCount() * ENTRY_BYTES;
        final int tokens = tokensPart + PART_BYTES;
        final int tail = tokens + results.tokenCount() * Integer.BYTES;
        length = tail + TAIL_BYTES + inlineBytes;
        buffer.checkLimit(length);
        final byte[] bytes = buffer.byteArray();
        LONGS.set(bytes, 0, COMPLETE_HEADER);
        LONGS.set(bytes, BLOCK, timeNanos);
        LONGS.set(bytes, BLOCK + 8, results.step());
        LONGS.set(bytes, BLOCK + 16, word(results.epoch(), results.rank()));
        LONGS.set(bytes, BLOCK + 24, rows == null ? 0 : word(rows.rowCount(), rows.rowBytes()));
        INTS.set(bytes, BLOCK + 32, (int)rowsChecksum);
        LONGS.set(bytes, BLOCK + 36, Math.max(0, results.computeNanos()));
        bytes[BLOCK + 44] = (byte)form.value();
        LONGS.set(bytes, ENTRIES, ENTRIES_PART);
        INTS.set(bytes, ENTRIES + COUNT_IN_PART, results.entryCount());
        putEntries(bytes, entries, results);
        LONGS.set(bytes, tokensPart, TOKENS_PART);
        INTS.set(bytes, tokensPart + COUNT_IN_PART, results.tokenCount());
        for (int i = 0; i < results.tokenCount(); i++)
        {
            INTS.set(bytes, tokens + i * Integer.BYTES, results.token(i));
        }
        LONGS.set(bytes, tail, TAIL_FIRST);
        LONGS.set(bytes, tail + Long.BYTES, TAIL_LAST);
        if (inlineBytes > 0)
        {
            INTS.set(bytes, tail + TAIL_BYTES - Integer.BYTES, inlineBytes);
            buffer.putBytes(tail + TAIL_BYTES, rows.buffer(), rows.offset(), inlineBytes);
        }
    }

    /** Three bytes behind each entry are written, too: the next one, or what follows the entries, replaces them. */
    private static void putEntries(final byte[] bytes, final int first, final StepTokens results)
    {
        int at = first;
        for (int i = 0; i < results.entryCount(); i++)
        {
            LONGS.set(bytes, at, word(results.start(i), results.accepted(i) & 0xFF));
            at += ENTRY_BYTES;
        }
    }

    private static long word(final int low, final int high)
    {
        return low & 0xFFFF_FFFFL | (long)high << Integer.SIZE;
    }
}
