// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.batch.CommittedSpans;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepPlan;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.CommitEncoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.ScheduleEncoder;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Writes the entries of {@code Schedule} and {@code Commit}, and the spans of the latter. Plan and commit keep their words
 * as the schema lays them out: a step of 256 requests writes 4,608 fields, and field by field that takes as long as all
 * decisions of the step.
 */
final class EntryEncoding
{
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    static final int COMMIT_ENTRY_BYTES = Long.BYTES + StepCommit.COMMIT_BYTES;

    static
    {
        holdScheduleLayout();
        holdCommitLayout();
    }

    private EntryEncoding()
    {
    }

    private static void holdScheduleLayout()
    {
        hold("Schedule", ScheduleEncoder.EntriesEncoder.sbeBlockLength() == StepPlan.SCHEDULE_BYTES &&
            ScheduleEncoder.EntriesEncoder.requestIdEncodingOffset() == 0 &&
            ScheduleEncoder.EntriesEncoder.startEncodingOffset() == 8 &&
            ScheduleEncoder.EntriesEncoder.tokenCountEncodingOffset() == 12 &&
            ScheduleEncoder.EntriesEncoder.predecessorEntryEncodingOffset() == 16 &&
            ScheduleEncoder.EntriesEncoder.slackEncodingOffset() == 20 &&
            ScheduleEncoder.EntriesEncoder.clipEncodingOffset() == 22 &&
            ScheduleEncoder.EntriesEncoder.predecessorBackEncodingOffset() == 24 &&
            ScheduleEncoder.EntriesEncoder.draftsEncodingOffset() == 25 &&
            ScheduleEncoder.EntriesEncoder.samplesEncodingOffset() == 26 && Flag.YES.value() == 1);
    }

    private static void holdCommitLayout()
    {
        hold("Commit", CommitEncoder.EntriesEncoder.sbeBlockLength() == COMMIT_ENTRY_BYTES &&
            CommitEncoder.EntriesEncoder.requestIdEncodingOffset() == 0 &&
            CommitEncoder.EntriesEncoder.startEncodingOffset() == 8 &&
            CommitEncoder.EntriesEncoder.advanceEncodingOffset() == 12 &&
            CommitEncoder.EntriesEncoder.rejectedEncodingOffset() == 16 &&
            CommitEncoder.EntriesEncoder.afterStopEncodingOffset() == 17 &&
            CommitEncoder.EntriesEncoder.emittedEncodingOffset() == 18 &&
            CommitEncoder.EntriesEncoder.verdictEncodingOffset() == 19 &&
            CommitEncoder.TokensEncoder.sbeBlockLength() == Integer.BYTES &&
            CommitEncoder.SpansEncoder.sbeBlockLength() == CommittedSpans.BYTES &&
            CommitEncoder.SpansEncoder.blockIdEncodingOffset() == 0 &&
            CommitEncoder.SpansEncoder.issueEncodingOffset() == 4 &&
            CommitEncoder.SpansEncoder.offsetEncodingOffset() == 8 &&
            CommitEncoder.SpansEncoder.keptEncodingOffset() == 12 &&
            CommitEncoder.SpansEncoder.alreadyThereEncodingOffset() == 16);
    }

    private static void hold(final String message, final boolean isAsSupposed)
    {
        if (!isAsSupposed)
        {
            throw new InvariantViolation("the schema lays out the entries of " + message +
                " in another way than their encoding");
        }
    }

    static void schedule(final ScheduleEncoder message, final GroupWriter group, final StepPlan plan)
    {
        final int count = plan.entryCount();
        message.entriesCount(count);
        final int at = message.limit();
        final int end = at + count * StepPlan.SCHEDULE_BYTES;
        message.limit(end);
        scheduleEntries(group.bytes(end), at, plan, count);
    }

    static void scheduleEntries(final byte[] bytes, final int first, final StepPlan plan, final int count)
    {
        final long[] words = plan.entryWords();
        for (int i = 0; i < count; i++)
        {
            final int at = first + i * StepPlan.SCHEDULE_BYTES;
            final int word = i * StepPlan.ENTRY_WORDS;
            LONGS.set(bytes, at, words[word]);
            LONGS.set(bytes, at + 8, words[word + 1]);
            LONGS.set(bytes, at + 16, words[word + 2]);
            // The last three bytes, and once more the five before them.
            LONGS.set(bytes, at + 19, words[word + 2] >>> 24 | words[word + 3] << 40);
        }
    }

    static void commit(final CommitEncoder message, final GroupWriter group, final StepPlan plan, final StepCommit result)
    {
        final int count = plan.entryCount();
        message.entriesCount(count);
        final int at = message.limit();
        final int end = at + count * COMMIT_ENTRY_BYTES;
        message.limit(end);
        commitEntries(group.bytes(end), at, plan, result, count);
    }

    static void commitEntries(
        final byte[] bytes, final int first, final StepPlan plan, final StepCommit result, final int count)
    {
        final long[] planned = plan.entryWords();
        final long[] words = result.entryWords();
        int at = first;
        for (int i = 0; i < count; i++)
        {
            LONGS.set(bytes, at, planned[i * StepPlan.ENTRY_WORDS]);
            LONGS.set(bytes, at + 8, words[i * StepCommit.ENTRY_WORDS]);
            INTS.set(bytes, at + 16, (int)words[i * StepCommit.ENTRY_WORDS + 1]);
            at += COMMIT_ENTRY_BYTES;
        }
    }

    static void tokens(final CommitEncoder message, final GroupWriter group, final StepCommit result)
    {
        final int count = result.tokenCount();
        message.tokensCount(count);
        final int at = message.limit();
        final int end = at + count * Integer.BYTES;
        message.limit(end);
        tokens(group.bytes(end), at, result, count);
    }

    static void tokens(final byte[] bytes, final int first, final StepCommit result, final int count)
    {
        final int[] tokens = result.tokens();
        int at = first;
        for (int i = 0; i < count; i++)
        {
            INTS.set(bytes, at, tokens[i]);
            at += Integer.BYTES;
        }
    }

    static void spans(final CommitEncoder message, final GroupWriter group, final CommittedSpans spans)
    {
        message.spansCount(spans.count());
        final int at = message.limit();
        final int end = at + spans.count() * CommittedSpans.BYTES;
        message.limit(end);
        spans(group.bytes(end), at, spans);
    }

    static void spans(final byte[] bytes, final int first, final CommittedSpans spans)
    {
        final long[] words = spans.words();
        final int count = spans.count();
        for (int i = 0; i < count; i++)
        {
            final int at = first + i * CommittedSpans.BYTES;
            final int word = i * CommittedSpans.WORDS;
            LONGS.set(bytes, at, words[word]);
            LONGS.set(bytes, at + 8, words[word + 1]);
            INTS.set(bytes, at + 16, (int)words[word + 2]);
        }
    }
}
