// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepPlan;
import io.signalbox.event.codec.CommitEncoder;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.ScheduleEncoder;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/**
 * Writes the entries of {@code Schedule} and {@code Commit} as the schema lays them out, adjacent fields in one store: a
 * step of 256 requests writes 4,608 fields, and field by field that takes as long as all decisions of the step.
 */
final class EntryEncoding
{
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final long LOW = 0xFFFF_FFFFL;
    /** The verdict of each outcome, by its ordinal. */
    private static final int[] VERDICTS = verdicts();

    static
    {
        holdScheduleLayout();
        holdCommitLayout();
    }

    private EntryEncoding()
    {
    }

    private static int[] verdicts()
    {
        final StepCommit.Outcome[] outcomes = StepCommit.Outcome.values();
        final int[] verdicts = new int[outcomes.length];
        for (final StepCommit.Outcome outcome : outcomes)
        {
            verdicts[outcome.ordinal()] = switch (outcome)
            {
                case CONTINUES, STOPPED, REACHED_LENGTH -> EntryVerdict.LIVE.value();
                case VOID -> EntryVerdict.VOID.value();
                case DEAD -> EntryVerdict.DEAD.value();
                case OWNER_GONE -> EntryVerdict.OWNER_GONE.value();
            };
        }
        return verdicts;
    }

    private static void holdScheduleLayout()
    {
        hold("Schedule", ScheduleEncoder.EntriesEncoder.sbeBlockLength() == 27 &&
            ScheduleEncoder.EntriesEncoder.requestIdEncodingOffset() == 0 &&
            ScheduleEncoder.EntriesEncoder.startEncodingOffset() == 8 &&
            ScheduleEncoder.EntriesEncoder.tokenCountEncodingOffset() == 12 &&
            ScheduleEncoder.EntriesEncoder.predecessorEntryEncodingOffset() == 16 &&
            ScheduleEncoder.EntriesEncoder.slackEncodingOffset() == 20 &&
            ScheduleEncoder.EntriesEncoder.clipEncodingOffset() == 22 &&
            ScheduleEncoder.EntriesEncoder.predecessorBackEncodingOffset() == 24 &&
            ScheduleEncoder.EntriesEncoder.draftsEncodingOffset() == 25 &&
            ScheduleEncoder.EntriesEncoder.samplesEncodingOffset() == 26);
    }

    private static void holdCommitLayout()
    {
        hold("Commit", CommitEncoder.EntriesEncoder.sbeBlockLength() == 20 &&
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

    static void schedule(final ScheduleEncoder message, final StepPlan plan)
    {
        final int count = plan.entryCount();
        message.entriesCount(count);
        final MutableDirectBuffer buffer = message.buffer();
        int at = message.limit();
        message.limit(at + count * ScheduleEncoder.EntriesEncoder.sbeBlockLength());
        for (int i = 0; i < count; i++)
        {
            final int start = plan.entryStart(i);
            final int slack = plan.entrySlack(i);
            final int tokens = plan.entryTokens(i);
            final int clip = start + slack + tokens - plan.entryEnd(i);
            buffer.putLong(at, plan.entryRequestId(i), ORDER);
            buffer.putLong(at + 8, start & LOW | (long)tokens << 32, ORDER);
            buffer.putLong(at + 16, plan.predecessorEntry(i) & LOW | (slack & 0xFFFFL) << 32 | (long)clip << 48, ORDER);
            buffer.putShort(at + 24, (short)(plan.predecessorBack(i) | plan.entryDrafts(i) << 8), ORDER);
            buffer.putByte(at + 26, (byte)(plan.samples(i) ? Flag.YES : Flag.NO).value());
            at += 27;
        }
    }

    static void commit(final CommitEncoder message, final StepPlan plan, final StepCommit result)
    {
        final int count = plan.entryCount();
        message.entriesCount(count);
        final MutableDirectBuffer buffer = message.buffer();
        int at = message.limit();
        message.limit(at + count * CommitEncoder.EntriesEncoder.sbeBlockLength());
        for (int i = 0; i < count; i++)
        {
            buffer.putLong(at, plan.entryRequestId(i), ORDER);
            buffer.putLong(at + 8, result.start(i) & LOW | (long)result.advance(i) << 32, ORDER);
            buffer.putInt(at + 16, result.rejected(i) & 0xFF | (result.afterStop(i) & 0xFF) << 8 |
                (result.emitted(i) & 0xFF) << 16 | VERDICTS[result.outcome(i).ordinal()] << 24, ORDER);
            at += 20;
        }
    }

    static void tokens(final CommitEncoder message, final StepCommit result)
    {
        final int count = result.tokenCount();
        message.tokensCount(count);
        final MutableDirectBuffer buffer = message.buffer();
        int at = message.limit();
        message.limit(at + count * Integer.BYTES);
        for (int i = 0; i < count; i++)
        {
            buffer.putInt(at, result.token(i), ORDER);
            at += Integer.BYTES;
        }
    }
}
