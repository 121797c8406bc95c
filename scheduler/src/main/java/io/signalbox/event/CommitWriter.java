// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.CommitEncoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import org.agrona.ExpandableArrayBuffer;

/**
 * Encodes {@code Commit}. Most steps have nothing but entries, tokens and spans: {@link ScheduleWriter} explains the short
 * way. Not thread-safe.
 */
final class CommitWriter
{
    private static final int PART_BYTES = MessagePart.DIMENSION_BYTES;
    private static final int ENTRIES = MessageHeaderEncoder.ENCODED_LENGTH + CommitEncoder.BLOCK_LENGTH;
    private static final byte[] EMPTY = empty(ENTRIES + 5 * PART_BYTES);
    private static final long TOKENS = (long)WordBytes.LONGS.get(EMPTY, ENTRIES + PART_BYTES);
    private static final long SPANS = (long)WordBytes.LONGS.get(EMPTY, ENTRIES + 2 * PART_BYTES);
    /** Where the two parts after the spans begin. */
    private static final int TAIL = ENTRIES + 3 * PART_BYTES;
    private static final int TAIL_BYTES = 2 * PART_BYTES;

    static
    {
        if (CommitEncoder.stepEncodingOffset() != 0 || CommitEncoder.epochEncodingOffset() != 8 ||
            CommitEncoder.rankEncodingOffset() != 12 || CommitEncoder.missingRowsEncodingOffset() != 16 ||
            CommitEncoder.impossibleRowsEncodingOffset() != 20 || CommitEncoder.BLOCK_LENGTH != 24 ||
            CommitEncoder.TokensEncoder.sbeBlockLength() != Integer.BYTES)
        {
            throw new InvariantViolation("the schema lays out Commit in another way than its writer");
        }
    }

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final CommitEncoder message = new CommitEncoder();

    /** @param length of the message; a word more is kept, since whole words are copied. */
    private static byte[] empty(final int length)
    {
        final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(length + Long.BYTES);
        final CommitEncoder empty = new CommitEncoder();
        empty.wrapAndApplyHeader(bytes, 0, new MessageHeaderEncoder())
            .step(0).epoch(0).rank(0).missingRows(0).impossibleRows(0);
        empty.entriesCount(0);
        empty.tokensCount(0);
        empty.spansCount(0);
        empty.registeredCount(0);
        empty.logprobsCount(0);
        return WordBytes.requireLength(bytes, length, empty.limit());
    }

    /** Appends the result of the plan to the group. */
    void write(
        final GroupWriter group, final PlannedEntries plan, final CommittedStep result, final int epoch, final int rank)
    {
        if ((result.registeredCount() | result.logprobCount()) == 0)
        {
            writeShort(group, plan, result, epoch, rank);
            return;
        }
        message.wrapAndApplyHeader(group.buffer(), group.begin(), header).step(plan.step()).epoch(epoch).rank(rank)
            .missingRows(result.missingRows()).impossibleRows(result.impossibleRows());
        writeWords(group, plan, result);
        final CommitEncoder.RegisteredEncoder registered = message.registeredCount(result.registeredCount());
        for (int i = 0; i < result.registeredCount(); i++)
        {
            registered.next().blockHash(result.registeredHash(i)).blockId(result.registeredBlock(i))
                .issue(result.registeredIssue(i)).generated(result.isRegisteredGenerated(i) ? Flag.YES : Flag.NO);
        }
        final CommitEncoder.LogprobsEncoder logprobs = message.logprobsCount(result.logprobCount());
        for (int i = 0; i < result.logprobCount(); i++)
        {
            logprobs.next().logprob(Float.intBitsToFloat(result.logprobBits(i)));
        }
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + message.encodedLength());
    }

    private void writeWords(final GroupWriter group, final PlannedEntries plan, final CommittedStep result)
    {
        message.entriesCount(plan.entryCount());
        final int entries = message.limit();
        writeEntries(room(group, entries, plan.entryCount() * CommitWords.ENTRY_BYTES), entries, plan, result);
        message.tokensCount(result.tokenCount());
        final int tokens = message.limit();
        writeTokens(room(group, tokens, result.tokenCount() * Integer.BYTES), tokens, result);
        message.spansCount(result.spanCount());
        final int spans = message.limit();
        writeSpans(room(group, spans, result.spanCount() * CommitWords.SPAN_BYTES), spans, result);
    }

    private byte[] room(final GroupWriter group, final int at, final int length)
    {
        message.limit(at + length);
        return group.bytes(at + length);
    }

    private static void writeShort(
        final GroupWriter group, final PlannedEntries plan, final CommittedStep result, final int epoch, final int rank)
    {
        final int at = group.begin();
        final int count = plan.entryCount();
        final int entries = at + ENTRIES + PART_BYTES;
        final int tokensPart = entries + count * CommitWords.ENTRY_BYTES;
        final int tokens = tokensPart + PART_BYTES;
        final int spansPart = tokens + result.tokenCount() * Integer.BYTES;
        final int spans = spansPart + PART_BYTES;
        final int tail = spans + result.spanCount() * CommitWords.SPAN_BYTES;
        final byte[] bytes = group.bytes(tail + TAIL_BYTES + Long.BYTES);
        WordBytes.copy(EMPTY, 0, bytes, at, ENTRIES + Long.BYTES);
        WordBytes.putBlock(bytes, at + MessageHeaderEncoder.ENCODED_LENGTH, plan.step(), epoch, rank,
            result.missingRows(), result.impossibleRows());
        WordBytes.putCount(bytes, at + ENTRIES, count);
        writeEntries(bytes, entries, plan, result);
        WordBytes.LONGS.set(bytes, tokensPart, TOKENS);
        WordBytes.putCount(bytes, tokensPart, result.tokenCount());
        writeTokens(bytes, tokens, result);
        WordBytes.LONGS.set(bytes, spansPart, SPANS);
        WordBytes.putCount(bytes, spansPart, result.spanCount());
        writeSpans(bytes, spans, result);
        WordBytes.copy(EMPTY, TAIL, bytes, tail, TAIL_BYTES);
        group.end(tail + TAIL_BYTES - at);
    }

    private static void writeEntries(
        final byte[] bytes, final int first, final PlannedEntries plan, final CommittedStep result)
    {
        final long[] planned = plan.entryWords();
        final int plannedStride = plan.entryStride();
        final long[] words = result.entryWords();
        final int stride = result.entryStride();
        final int count = plan.entryCount();
        int at = first;
        for (int i = 0; i < count; i++)
        {
            WordBytes.LONGS.set(bytes, at, planned[i * plannedStride]);
            WordBytes.LONGS.set(bytes, at + 8, words[i * stride]);
            WordBytes.INTS.set(bytes, at + 16, (int)words[i * stride + 1]);
            at += CommitWords.ENTRY_BYTES;
        }
    }

    private static void writeTokens(final byte[] bytes, final int first, final CommittedStep result)
    {
        final int[] tokens = result.tokens();
        final int count = result.tokenCount();
        int at = first;
        for (int i = 0; i < count; i++)
        {
            WordBytes.INTS.set(bytes, at, tokens[i]);
            at += Integer.BYTES;
        }
    }

    private static void writeSpans(final byte[] bytes, final int first, final CommittedStep result)
    {
        final long[] words = result.spanWords();
        final int count = result.spanCount();
        for (int i = 0; i < count; i++)
        {
            final int at = first + i * CommitWords.SPAN_BYTES;
            final int word = i * CommitWords.SPAN_WORDS;
            WordBytes.LONGS.set(bytes, at, words[word]);
            WordBytes.LONGS.set(bytes, at + 8, words[word + 1]);
            WordBytes.INTS.set(bytes, at + 16, (int)words[word + 2]);
        }
    }
}
