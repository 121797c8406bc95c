// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.HandlerThreads;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * One way to wait and one durability.
 *
 * @param pollNanos  for which the scheduler's thread polls before it sleeps.
 * @param durability {@code null} without a journal.
 */
record LatencyCell(EngineConfig.Waiting waiting, long pollNanos, Durability durability, HandlerThreads threads)
{
    private static final int KV_BLOCKS = 1 << 15;
    private static final int SLOTS = 2048;
    private static final int STEP_TOKENS = 16_384;

    String journalName()
    {
        return durability == null ? "none" : durability.name().toLowerCase(Locale.ROOT);
    }

    String waitingName()
    {
        return waiting.name().toLowerCase(Locale.ROOT) +
            (pollNanos == 0 ? "" : String.format(Locale.ROOT, ", polling %d ms", pollNanos / 1_000_000));
    }

    String name()
    {
        return waiting.name().toLowerCase(Locale.ROOT) + (pollNanos == 0 ? "-" : "-polling-") + journalName();
    }

    /**
     * A configuration of one rank on which many short prompts fit into a step.
     *
     * @param directory of the journal.
     * @param times     {@code null} if nobody wants stages.
     */
    EngineConfig config(final Path directory, final MeasuredFirstTokens tokens, final StageTimes times)
    {
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(KV_BLOCKS).stepTokens(STEP_TOKENS).build())
            .backend(new InstantBackend(times))
            .waiting(waiting).poll(Duration.ofNanos(pollNanos)).handlerThreads(threads).ingressSlots(SLOTS).trackSlots(SLOTS)
            .submitWait(EngineConfig.FOREVER)
            .listener(tokens);
        final GroupJournal journal = durability == null ? GroupJournal.NONE :
            JournalWriter.create(directory, config.runSettings(), JournalConfig.of(durability));
        return config.journal(times == null ? journal : new StampingJournal(journal, times::stamp));
    }
}
