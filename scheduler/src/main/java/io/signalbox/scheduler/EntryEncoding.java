// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
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
 * Writes the entries of {@code Schedule} and {@code Commit}. Plan and commit keep their words as the schema lays them out: a
 * step of 256 requests writes 4,608 fields, and field by field that takes as long as all decisions of the step.
 */
final class EntryEncoding
{
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

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
        hold("Commit", CommitEncoder.EntriesEncoder.sbeBlockLength() == Long.BYTES + StepCommit.COMMIT_BYTES &&
            CommitEncoder.EntriesEncoder.requestIdEncodingOffset() == 0 &&
            CommitEncoder.EntriesEncoder.startEncodingOffset() == 8 &&
            CommitEncoder.EntriesEncoder.advanceEncodingOffset() == 12 &&
            CommitEncoder.EntriesEncoder.rejectedEncodingOffset() == 16 &&
            CommitEncoder.EntriesEncoder.afterStopEncodingOffset() == 17 &&
            CommitEncoder.EntriesEncoder.emittedEncodingOffset() == 18 &&
            CommitEncoder.EntriesEncoder.verdictEncodingOffset() == 19 &&
            CommitEncoder.TokensEncoder.sbeBlockLength() == Integer.BYTES);
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
        int at = message.limit();
        final int end = at + count * StepPlan.SCHEDULE_BYTES;
        message.limit(end);
        final byte[] bytes = group.bytes(end);
        final long[] words = plan.entryWords();
        for (int word = 0; word < count * StepPlan.ENTRY_WORDS; word += StepPlan.ENTRY_WORDS)
        {
            LONGS.set(bytes, at, words[word]);
            LONGS.set(bytes, at + 8, words[word + 1]);
            LONGS.set(bytes, at + 16, words[word + 2]);
            // The last three bytes, and once more the five before them.
            LONGS.set(bytes, at + 19, words[word + 2] >>> 24 | words[word + 3] << 40);
            at += StepPlan.SCHEDULE_BYTES;
        }
    }

    static void commit(final CommitEncoder message, final GroupWriter group, final StepPlan plan, final StepCommit result)
    {
        final int count = plan.entryCount();
        message.entriesCount(count);
        int at = message.limit();
        final int end = at + count * (Long.BYTES + StepCommit.COMMIT_BYTES);
        message.limit(end);
        final byte[] bytes = group.bytes(end);
        final long[] planned = plan.entryWords();
        final long[] words = result.entryWords();
        for (int i = 0; i < count; i++)
        {
            LONGS.set(bytes, at, planned[i * StepPlan.ENTRY_WORDS]);
            LONGS.set(bytes, at + 8, words[i * StepCommit.ENTRY_WORDS]);
            INTS.set(bytes, at + 16, (int)words[i * StepCommit.ENTRY_WORDS + 1]);
            at += Long.BYTES + StepCommit.COMMIT_BYTES;
        }
    }

    static void tokens(final CommitEncoder message, final GroupWriter group, final StepCommit result)
    {
        final int count = result.tokenCount();
        message.tokensCount(count);
        int at = message.limit();
        final int end = at + count * Integer.BYTES;
        message.limit(end);
        final byte[] bytes = group.bytes(end);
        final int[] tokens = result.tokens();
        for (int i = 0; i < count; i++)
        {
            INTS.set(bytes, at, tokens[i]);
            at += Integer.BYTES;
        }
    }
}
