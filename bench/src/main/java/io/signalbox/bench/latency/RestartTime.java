// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.Quantiles;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.ReplayFollower;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.SchedulerConfig;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Processor time in which an engine takes over the journal of an earlier one: by replaying every input, and behind a
 * snapshot of the scheduler, by turns. The snapshot is taken when 98 of 100 requests have ended.
 */
public final class RestartTime
{
    private static final int PROMPT_TOKENS = 256;
    private static final int NEW_TOKENS = 64;
    private static final int OPEN_REQUESTS = 64;
    private static final int KV_BLOCKS = 8192;
    private static final int WARMUPS = 2;
    private static final int ROUNDS = 7;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private RestartTime()
    {
    }

    /** @param arguments the number of requests (20000). */
    public static void main(final String[] arguments) throws Exception
    {
        final int requests = arguments.length == 0 ? 20_000 : Integer.parseInt(arguments[0]);
        final Path directory = Files.createTempDirectory("signalbox-bench");
        try
        {
            final Path journal = directory.resolve("journal");
            serve(journal, requests / 50 * 49);
            final ReplayFollower follower = new ReplayFollower(journal, Long.MAX_VALUE, DpRouters.installed());
            follower.follow(ReadProgress.NONE);
            follower.conclude();
            serve(journal, requests / 50);
            compare(journal, directory.resolve("aside"));
        }
        finally
        {
            delete(directory);
        }
    }

    private static EngineConfig config(final Path journal)
    {
        return new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(KV_BLOCKS).depth(1).build())
            .backend(new InstantBackend(null))
            .submitWait(EngineConfig.FOREVER)
            .runJournal(new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS)));
    }

    private static void serve(final Path journal, final int requests) throws Exception
    {
        final int[] prompt = new int[PROMPT_TOKENS];
        final ArrayDeque<CompletionHandle> open = new ArrayDeque<>();
        try (SignalboxEngine engine = SignalboxEngine.launch(config(journal)))
        {
            for (int i = 0; i < requests; i++)
            {
                final int number = i;
                Arrays.setAll(prompt, at -> (at * 31 + number * 7) % 1000);
                open.add(engine.submit(CompletionRequest.prompt(prompt).maxNewTokens(NEW_TOKENS)));
                if (open.size() >= OPEN_REQUESTS)
                {
                    open.remove().await(PATIENCE);
                }
            }
            while (!open.isEmpty())
            {
                open.remove().await(PATIENCE);
            }
        }
    }

    private static void compare(final Path journal, final Path aside) throws IOException
    {
        final Path snapshots = journal.resolve("snapshots");
        final double[] whole = new double[ROUNDS];
        final double[] behind = new double[ROUNDS];
        for (int round = -WARMUPS; round < ROUNDS; round++)
        {
            Files.move(snapshots, aside);
            final double first = restartMillis(journal);
            Files.move(aside, snapshots);
            final double second = restartMillis(journal);
            if (round >= 0)
            {
                whole[round] = first;
                behind[round] = second;
            }
        }
        final long records =
            JournalVerifier.verifyBehindSnapshot(journal, DpRouters.installed(), ReadProgress.NONE).records();
        System.out.printf(Locale.ROOT, "%d records: replayed whole in %.0f ms, behind a snapshot in %.0f ms of processor " +
            "time (medians of %d turns)%n", records, median(whole), median(behind), ROUNDS);
    }

    /** The run is replayed by the thread that opens the engine. */
    private static double restartMillis(final Path journal)
    {
        final long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        final SignalboxEngine engine = SignalboxEngine.launch(config(journal));
        final long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
        engine.close();
        return nanos / NANOS_PER_MILLI;
    }

    private static double median(final double[] values)
    {
        return Quantiles.of(values, 50);
    }

    private static void delete(final Path directory) throws IOException
    {
        final List<Path> paths;
        try (Stream<Path> walk = Files.walk(directory))
        {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path path : paths)
        {
            Files.delete(path);
        }
    }
}
