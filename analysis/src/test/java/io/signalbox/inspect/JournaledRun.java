// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.RowForm;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Journals the decisions of a real scheduler on inputs of a test. */
final class JournaledRun implements AutoCloseable
{
    private final InputWriter inputs = new InputWriter();
    private final GroupWriter group = new GroupWriter(4096);
    private final Scheduler scheduler;
    private final JournalWriter writer;
    private final Plans plans = new Plans();

    JournaledRun(final Path directory, final SchedulerConfig config)
    {
        this(directory, config, config.settings());
    }

    /** @param settings the run description. */
    JournaledRun(final Path directory, final SchedulerConfig config, final Map<String, String> settings)
    {
        scheduler = new Scheduler(config);
        writer = JournalWriter.create(
            directory, settings,
            new JournalConfig(Durability.PROCESS, JournalConfig.SEGMENT_BYTES.defaultValue(), 1 << 18));
    }

    private void apply(final long nanos)
    {
        group.reset();
        scheduler.apply(inputs.buffer(), 0, inputs.length(), null, 0, group);
        plans.readGroup(group.buffer(), 0, group.length());
        append(nanos, group.buffer(), group.length());
    }

    /** Where the entries of each rank's plan start, and whether they sample. */
    private final class Plans extends EventReader
    {
        private final Map<Integer, int[]> starts = new HashMap<>();
        private final Map<Integer, boolean[]> samples = new HashMap<>();

        @Override
        protected void onSchedule(final StepView plan)
        {
            final int[] start = new int[plan.entryCount()];
            final boolean[] sampling = new boolean[plan.entryCount()];
            for (int entry = 0; entry < start.length; entry++)
            {
                start[entry] = plan.start(entry);
                sampling[entry] = plan.samples(entry);
            }
            starts.put(plan.rank(), start);
            samples.put(plan.rank(), sampling);
        }

        /** One token for each entry of the rank's plan that samples. */
        private void writeTokens(final D2hCompleteEncoder message, final int rank)
        {
            int sampled = 0;
            final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(starts.get(rank).length);
            for (int entry = 0; entry < starts.get(rank).length; entry++)
            {
                entries.next().start(starts.get(rank)[entry]).accepted((short)(samples.get(rank)[entry] ? 1 : 0));
                sampled += samples.get(rank)[entry] ? 1 : 0;
            }
            final D2hCompleteEncoder.TokensEncoder tokens = message.tokensCount(sampled);
            for (int i = 0; i < sampled; i++)
            {
                tokens.next().tokenId(7);
            }
            message.impossibleRowsCount(0);
            message.logprobsCount(0);
        }
    }

    /** Journals a group that no scheduler has seen. */
    void append(final long nanos, final DirectBuffer buffer, final int length)
    {
        writer.append(nanos, buffer, 0, length, null);
        writer.endOfBatch();
    }

    /** A request without block hashes: it shares no prefix. */
    void submit(final long nanos, final long requestId, final int promptTokens, final int newTokens, final int rankHint)
    {
        inputs.submit()
            .timeNanos(nanos).requestId(requestId).conversationId(5).predecessorId(-1).thinkTimeNanos(0).deadlineNanos(-1)
            .samplingSeed(0).promptTokens(promptTokens).maxNewTokens(newTokens).rowsFrom(-1).priority(2)
            .rankHint(rankHint).temperature(1.0f).topP(1.0f).rankHintRelaxed(Flag.NO)
            .putBlockHashes(new byte[0], 0, 0).putCacheKey(new byte[0], 0, 0).putTokens(new byte[0], 0, 0)
            .putHashChain(new byte[0], 0, 0).putStopTokens(new byte[0], 0, 0);
        apply(nanos);
    }

    void wake(final long nanos)
    {
        inputs.wake().timeNanos(nanos);
        apply(nanos);
    }

    void cancel(final long nanos, final long requestId)
    {
        inputs.cancel().timeNanos(nanos).requestId(requestId);
        apply(nanos);
    }

    void complete(final long nanos, final long step, final int rank)
    {
        final D2hCompleteEncoder message = inputs.d2hComplete()
            .timeNanos(nanos).step(step).epoch(0).rank(rank).rowCount(0).rowBytes(0).rowsChecksum(0).rowForm(RowForm.NONE);
        plans.writeTokens(message, rank);
        message.putRows(new byte[0], 0, 0);
        apply(nanos);
    }

    void lose(final long nanos, final long step, final int rank)
    {
        inputs.backendFault()
            .timeNanos(nanos).step(step).epoch(0).rank(rank).faultClass(FaultClass.RANK_LOST).detail("gone");
        apply(nanos);
    }

    @Override
    public void close()
    {
        writer.close();
    }
}
