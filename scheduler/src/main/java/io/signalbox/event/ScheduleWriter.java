// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import org.agrona.ExpandableArrayBuffer;

/**
 * Encodes {@code Schedule}. Most steps have nothing but entries. Their fixed parts are the bytes of an empty message, as the
 * generated encoder wrote it once: a step of two requests has more empty parts than entries. Not thread-safe.
 */
final class ScheduleWriter
{
    /** Where the entries' part begins if all parts before it are empty. */
    private static final int ENTRIES =
        MessageHeaderEncoder.ENCODED_LENGTH + ScheduleEncoder.BLOCK_LENGTH + 4 * MessagePart.DIMENSION_BYTES;
    private static final byte[] EMPTY = empty(ENTRIES + MessagePart.DIMENSION_BYTES);

    static
    {
        if (ScheduleEncoder.stepEncodingOffset() != 0 || ScheduleEncoder.epochEncodingOffset() != 8 ||
            ScheduleEncoder.rankEncodingOffset() != 12 || ScheduleEncoder.tokensEncodingOffset() != 16 ||
            ScheduleEncoder.weightGenerationEncodingOffset() != 20 || ScheduleEncoder.BLOCK_LENGTH != 24)
        {
            throw new InvariantViolation("the schema lays out Schedule in another way than its writer");
        }
    }

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final ScheduleEncoder message = new ScheduleEncoder();

    /** @param length of the message; a word more is kept, since whole words are copied. */
    private static byte[] empty(final int length)
    {
        final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(length + Long.BYTES);
        final ScheduleEncoder empty = new ScheduleEncoder();
        empty.wrapAndApplyHeader(bytes, 0, new MessageHeaderEncoder())
            .step(0).epoch(0).rank(0).tokens(0).weightGeneration(0);
        empty.admittedCount(0);
        empty.evictedCount(0);
        empty.tableChangesCount(0);
        empty.pendingCount(0);
        empty.entriesCount(0);
        return WordBytes.requireLength(bytes, length, empty.limit());
    }

    /** Appends the plan to the group. */
    void write(final GroupWriter group, final PlannedStep plan, final int epoch, final int rank)
    {
        if ((plan.admittedCount() | plan.evictedCount() | plan.changeCount() | plan.pendingCount()) == 0)
        {
            writeEntriesOnly(group, plan, epoch, rank);
            return;
        }
        message.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .step(plan.step()).epoch(epoch).rank(rank).tokens(plan.tokens()).weightGeneration(plan.weightGeneration());
        writeChanges(plan);
        final int count = plan.entryCount();
        message.entriesCount(count);
        final int at = message.limit();
        final int end = at + count * ScheduleWords.BYTES;
        message.limit(end);
        writeEntries(group.bytes(end), at, plan, count);
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + message.encodedLength());
    }

    private void writeChanges(final PlannedStep plan)
    {
        final ScheduleEncoder.AdmittedEncoder admitted = message.admittedCount(plan.admittedCount());
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            admitted.next().requestId(plan.admittedRequestId(i)).matchedBlocks(plan.matchedBlocks(i))
                .resumed(plan.resumed(i) ? Flag.YES : Flag.NO);
        }
        final ScheduleEncoder.EvictedEncoder evicted = message.evictedCount(plan.evictedCount());
        for (int i = 0; i < plan.evictedCount(); i++)
        {
            evicted.next().blockHash(plan.evictedHash(i)).blockId(plan.evictedBlock(i));
        }
        final ScheduleEncoder.TableChangesEncoder changes = message.tableChangesCount(plan.changeCount());
        for (int i = 0; i < plan.changeCount(); i++)
        {
            changes.next().requestId(plan.changeRequestId(i)).blockIndex(plan.changeIndex(i)).blockId(plan.changeBlock(i))
                .issue(plan.changeIssue(i)).kind(plan.changeKind(i));
        }
        final ScheduleEncoder.PendingEncoder pending = message.pendingCount(plan.pendingCount());
        for (int i = 0; i < plan.pendingCount(); i++)
        {
            pending.next().blockHash(plan.pendingHash(i)).blockId(plan.pendingBlock(i));
        }
    }

    /** Appends a plan before which nothing changes. */
    static void writeEntriesOnly(
        final GroupWriter group, final PlannedEntries plan, final int epoch, final int rank)
    {
        final int at = group.begin();
        final int count = plan.entryCount();
        final int entries = at + ENTRIES + MessagePart.DIMENSION_BYTES;
        final int end = entries + count * ScheduleWords.BYTES;
        final byte[] bytes = group.bytes(end + Long.BYTES);
        WordBytes.copy(EMPTY, 0, bytes, at, ENTRIES + Long.BYTES);
        WordBytes.putBlock(bytes, at + MessageHeaderEncoder.ENCODED_LENGTH, plan.step(), epoch, rank,
            plan.tokens(), plan.weightGeneration());
        WordBytes.putCount(bytes, at + ENTRIES, count);
        writeEntries(bytes, entries, plan, count);
        group.end(end - at);
    }

    private static void writeEntries(final byte[] bytes, final int first, final PlannedEntries plan, final int count)
    {
        final long[] words = plan.entryWords();
        final int stride = plan.entryStride();
        for (int i = 0; i < count; i++)
        {
            final int at = first + i * ScheduleWords.BYTES;
            final int word = i * stride;
            WordBytes.LONGS.set(bytes, at, words[word]);
            WordBytes.LONGS.set(bytes, at + 8, words[word + 1]);
            WordBytes.LONGS.set(bytes, at + 16, words[word + 2]);
            // The last three bytes, and once more the five before them.
            WordBytes.LONGS.set(bytes, at + 19, words[word + 2] >>> 24 | words[word + 3] << 40);
        }
    }
}
