// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.batch.CommittedSpans;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepPlan;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.CommitEncoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import org.agrona.ExpandableArrayBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Writes a {@code Schedule} that has nothing but entries, and a {@code Commit} that has nothing but entries, tokens and
 * spans: most steps have no more. Their fixed parts are the bytes of an empty message, as the generated encoder wrote it
 * once; a step of two requests has more empty parts than entries.
 */
final class PlainSteps
{
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int PART_BYTES = 6;
    private static final int COUNT_IN_PART = 2;
    private static final int SCHEDULE_ENTRIES =
        MessageHeaderEncoder.ENCODED_LENGTH + ScheduleEncoder.BLOCK_LENGTH + 4 * PART_BYTES;
    private static final int COMMIT_ENTRIES = MessageHeaderEncoder.ENCODED_LENGTH + CommitEncoder.BLOCK_LENGTH;
    private static final byte[] SCHEDULE = emptySchedule(SCHEDULE_ENTRIES + PART_BYTES);
    private static final byte[] COMMIT = emptyCommit(COMMIT_ENTRIES + 5 * PART_BYTES);
    private static final long COMMIT_TOKENS = (long)LONGS.get(COMMIT, COMMIT_ENTRIES + PART_BYTES);
    private static final long COMMIT_SPANS = (long)LONGS.get(COMMIT, COMMIT_ENTRIES + 2 * PART_BYTES);
    /** Where the two parts of {@code Commit} behind the spans begin. */
    private static final int COMMIT_TAIL = COMMIT_ENTRIES + 3 * PART_BYTES;
    private static final int COMMIT_TAIL_BYTES = 2 * PART_BYTES;
    private static final int STEP = MessageHeaderEncoder.ENCODED_LENGTH + ScheduleEncoder.stepEncodingOffset();

    static
    {
        if (ScheduleEncoder.stepEncodingOffset() != 0 || ScheduleEncoder.epochEncodingOffset() != 8 ||
            ScheduleEncoder.rankEncodingOffset() != 12 || ScheduleEncoder.tokensEncodingOffset() != 16 ||
            ScheduleEncoder.weightGenerationEncodingOffset() != 20 || ScheduleEncoder.BLOCK_LENGTH != 24 ||
            CommitEncoder.stepEncodingOffset() != 0 || CommitEncoder.epochEncodingOffset() != 8 ||
            CommitEncoder.rankEncodingOffset() != 12 || CommitEncoder.missingRowsEncodingOffset() != 16 ||
            CommitEncoder.impossibleRowsEncodingOffset() != 20 || CommitEncoder.BLOCK_LENGTH != 24)
        {
            throw new InvariantViolation("the schema lays out Schedule and Commit in another way than their encoding");
        }
    }

    private PlainSteps()
    {
    }

    /** @param length of the message; a word more is kept, since whole words are read. */
    private static byte[] emptySchedule(final int length)
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
        requireLength(length, empty.limit());
        return bytes.byteArray();
    }

    private static byte[] emptyCommit(final int length)
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
        requireLength(length, empty.limit());
        return bytes.byteArray();
    }

    private static void requireLength(final int supposed, final int encoded)
    {
        if (encoded != supposed)
        {
            throw new InvariantViolation("an empty message has " + encoded + " bytes and not " + supposed);
        }
    }

    static boolean isPlain(final StepPlan plan)
    {
        return (plan.admittedCount() | plan.evictedCount() | plan.changeCount() | plan.pendingCount()) == 0;
    }

    static boolean isPlain(final StepCommit result)
    {
        return (result.registered().count() | result.logprobCount()) == 0;
    }

    /** Writes the plan as one message of the group. */
    static void schedule(final GroupWriter group, final StepPlan plan, final int epoch, final int rank)
    {
        final int at = group.begin();
        final int count = plan.entryCount();
        final int entries = at + SCHEDULE_ENTRIES + PART_BYTES;
        final int end = entries + count * StepPlan.SCHEDULE_BYTES;
        final byte[] bytes = group.bytes(end + Long.BYTES);
        copy(SCHEDULE, 0, bytes, at, SCHEDULE_ENTRIES + Long.BYTES);
        putBlock(bytes, at + STEP, plan.step(), epoch, rank, plan.tokens(), plan.weightGeneration());
        INTS.set(bytes, at + SCHEDULE_ENTRIES + COUNT_IN_PART, count);
        EntryEncoding.scheduleEntries(bytes, entries, plan, count);
        group.end(end - at);
    }

    /** Writes the result as one message of the group. */
    static void commit(
        final GroupWriter group, final StepPlan plan, final StepCommit result, final int epoch, final int rank)
    {
        final int at = group.begin();
        final int count = plan.entryCount();
        final int entries = at + COMMIT_ENTRIES + PART_BYTES;
        final int tokensPart = entries + count * EntryEncoding.COMMIT_ENTRY_BYTES;
        final int tokens = tokensPart + PART_BYTES;
        final int spansPart = tokens + result.tokenCount() * Integer.BYTES;
        final int spans = spansPart + PART_BYTES;
        final int tail = spans + result.spans().count() * CommittedSpans.BYTES;
        final byte[] bytes = group.bytes(tail + COMMIT_TAIL_BYTES + Long.BYTES);
        copy(COMMIT, 0, bytes, at, COMMIT_ENTRIES + Long.BYTES);
        putBlock(bytes, at + STEP, plan.step(), epoch, rank,
            result.spans().missingRows(), result.spans().impossibleRows());
        INTS.set(bytes, at + COMMIT_ENTRIES + COUNT_IN_PART, count);
        EntryEncoding.commitEntries(bytes, entries, plan, result, count);
        LONGS.set(bytes, tokensPart, COMMIT_TOKENS);
        INTS.set(bytes, tokensPart + COUNT_IN_PART, result.tokenCount());
        EntryEncoding.tokens(bytes, tokens, result, result.tokenCount());
        LONGS.set(bytes, spansPart, COMMIT_SPANS);
        INTS.set(bytes, spansPart + COUNT_IN_PART, result.spans().count());
        EntryEncoding.spans(bytes, spans, result.spans());
        copy(COMMIT, COMMIT_TAIL, bytes, tail, COMMIT_TAIL_BYTES);
        group.end(tail + COMMIT_TAIL_BYTES - at);
    }

    private static void copy(final byte[] from, final int first, final byte[] to, final int at, final int length)
    {
        for (int i = 0; i < length; i += Long.BYTES)
        {
            LONGS.set(to, at + i, (long)LONGS.get(from, first + i));
        }
    }

    private static void putBlock(
        final byte[] bytes,
        final int at,
        final long step,
        final int epoch,
        final int rank,
        final int first,
        final int second)
    {
        LONGS.set(bytes, at, step);
        LONGS.set(bytes, at + Long.BYTES, epoch & 0xFFFF_FFFFL | (long)rank << Integer.SIZE);
        LONGS.set(bytes, at + 2 * Long.BYTES, first & 0xFFFF_FFFFL | (long)second << Integer.SIZE);
    }
}
