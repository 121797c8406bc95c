// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.ForwardEncoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RowForm;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Encodes one report of a backend at a time, a {@code Forward} or a {@code D2hComplete}, into its buffer. Nearly all reports
 * have neither impossible rows nor log-probabilities, and are written in whole words: in a small step, fixed fields outweigh
 * the entries. Not thread-safe.
 */
public final class ReportWriter
{
    private static final int BLOCK = MessageHeaderEncoder.ENCODED_LENGTH;
    private static final int PART_BYTES = MessagePart.DIMENSION_BYTES;
    private static final int FORWARD_BYTES = BLOCK + ForwardEncoder.BLOCK_LENGTH;
    private static final int ENTRIES = BLOCK + D2hCompleteEncoder.BLOCK_LENGTH;
    private static final int ENTRY_BYTES = 5;
    /** Two parts and the length of the rows behind the tokens. */
    private static final int TAIL_BYTES = 2 * PART_BYTES + Integer.BYTES;
    private static final byte[] COMPLETE = emptyCompletion(ENTRIES + 2 * PART_BYTES + TAIL_BYTES);
    private static final long COMPLETE_HEADER = (long)WordBytes.LONGS.get(COMPLETE, 0);
    private static final long ENTRIES_PART = (long)WordBytes.LONGS.get(COMPLETE, ENTRIES);
    private static final long TOKENS_PART = (long)WordBytes.LONGS.get(COMPLETE, ENTRIES + PART_BYTES);
    private static final long TAIL_FIRST = (long)WordBytes.LONGS.get(COMPLETE, ENTRIES + 2 * PART_BYTES);
    private static final long TAIL_LAST = (long)WordBytes.LONGS.get(COMPLETE, ENTRIES + 2 * PART_BYTES + Long.BYTES);
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
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final D2hCompleteEncoder message = new D2hCompleteEncoder();
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
        return (long)WordBytes.LONGS.get(bytes, 0);
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
        WordBytes.LONGS.set(bytes, 0, FORWARD_HEADER);
        WordBytes.LONGS.set(bytes, BLOCK, timeNanos);
        WordBytes.LONGS.set(bytes, BLOCK + 8, step);
        WordBytes.LONGS.set(bytes, BLOCK + 16, deviceTimeNanos);
        WordBytes.LONGS.set(bytes, BLOCK + 24, word(epoch, rank));
        length = FORWARD_BYTES;
    }

    public void d2hComplete(final long timeNanos, final ReportedStep results, final long rowsChecksum)
    {
        final int inlineBytes = results.rowForm() == RowForm.INLINE ? results.rowCount() * results.rowBytes() : 0;
        if (results.hasLogprobs() || results.impossibleCount() > 0)
        {
            writeAllParts(timeNanos, results, rowsChecksum, inlineBytes);
        }
        else
        {
            writeWords(timeNanos, results, rowsChecksum, inlineBytes);
        }
    }

    private void writeAllParts(
        final long timeNanos, final ReportedStep results, final long rowsChecksum, final int inlineBytes)
    {
        message.wrapAndApplyHeader(buffer, 0, header).timeNanos(timeNanos).step(results.step()).epoch(results.epoch())
            .rank(results.rank()).rowCount(results.rowCount()).rowBytes(results.rowBytes()).rowsChecksum(rowsChecksum)
            .computeNanos(results.computeNanos()).rowForm(results.rowForm());
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(results.entryCount());
        for (int i = 0; i < results.entryCount(); i++)
        {
            entries.next().start(results.start(i)).accepted((short)results.accepted(i));
        }
        final D2hCompleteEncoder.TokensEncoder accepted = message.tokensCount(results.tokenCount());
        for (int i = 0; i < results.tokenCount(); i++)
        {
            accepted.next().tokenId(results.token(i));
        }
        final D2hCompleteEncoder.ImpossibleRowsEncoder impossible = message.impossibleRowsCount(results.impossibleCount());
        for (int i = 0; i < results.impossibleCount(); i++)
        {
            impossible.next().row(results.impossibleRow(i));
        }
        writeLogprobs(results);
        if (inlineBytes > 0)
        {
            message.putRows(results.rows(), results.rowsOffset(), inlineBytes);
        }
        else
        {
            message.putRows(buffer, 0, 0);
        }
        length = MessageHeaderEncoder.ENCODED_LENGTH + message.encodedLength();
    }

    private void writeLogprobs(final ReportedStep results)
    {
        final int count = results.hasLogprobs() ? results.tokenCount() : 0;
        final D2hCompleteEncoder.LogprobsEncoder logprobs = message.logprobsCount(count);
        for (int i = 0; i < count; i++)
        {
            // One NaN for all, so that equal results have equal bytes.
            logprobs.next().logprob(Float.intBitsToFloat(Float.floatToIntBits(results.logprob(i))));
        }
    }

    private void writeWords(
        final long timeNanos, final ReportedStep results, final long rowsChecksum, final int inlineBytes)
    {
        final int entryCount = results.entryCount();
        final int tokenCount = results.tokenCount();
        final int entries = ENTRIES + PART_BYTES;
        final int tokensPart = entries + entryCount * ENTRY_BYTES;
        final int tokens = tokensPart + PART_BYTES;
        final int tail = tokens + tokenCount * Integer.BYTES;
        length = tail + TAIL_BYTES + inlineBytes;
        buffer.checkLimit(length);
        final byte[] bytes = buffer.byteArray();
        WordBytes.LONGS.set(bytes, 0, COMPLETE_HEADER);
        WordBytes.LONGS.set(bytes, BLOCK, timeNanos);
        WordBytes.LONGS.set(bytes, BLOCK + 8, results.step());
        WordBytes.LONGS.set(bytes, BLOCK + 16, word(results.epoch(), results.rank()));
        WordBytes.LONGS.set(bytes, BLOCK + 24, word(results.rowCount(), results.rowBytes()));
        WordBytes.INTS.set(bytes, BLOCK + 32, (int)rowsChecksum);
        WordBytes.LONGS.set(bytes, BLOCK + 36, results.computeNanos());
        bytes[BLOCK + 44] = (byte)results.rowForm().value();
        WordBytes.LONGS.set(bytes, ENTRIES, ENTRIES_PART);
        WordBytes.putCount(bytes, ENTRIES, entryCount);
        putEntries(bytes, entries, results, entryCount);
        WordBytes.LONGS.set(bytes, tokensPart, TOKENS_PART);
        WordBytes.putCount(bytes, tokensPart, tokenCount);
        for (int i = 0; i < tokenCount; i++)
        {
            WordBytes.INTS.set(bytes, tokens + i * Integer.BYTES, results.token(i));
        }
        WordBytes.LONGS.set(bytes, tail, TAIL_FIRST);
        WordBytes.LONGS.set(bytes, tail + Long.BYTES, TAIL_LAST);
        if (inlineBytes > 0)
        {
            WordBytes.INTS.set(bytes, tail + TAIL_BYTES - Integer.BYTES, inlineBytes);
            buffer.putBytes(tail + TAIL_BYTES, results.rows(), results.rowsOffset(), inlineBytes);
        }
    }

    /** Three bytes behind each entry are written, too: the next one, or what follows the entries, replaces them. */
    private static void putEntries(final byte[] bytes, final int first, final ReportedStep results, final int count)
    {
        int at = first;
        for (int i = 0; i < count; i++)
        {
            WordBytes.LONGS.set(bytes, at, word(results.start(i), results.accepted(i) & 0xFF));
            at += ENTRY_BYTES;
        }
    }

    private static long word(final int low, final int high)
    {
        return CommitWords.range(low, high);
    }
}
