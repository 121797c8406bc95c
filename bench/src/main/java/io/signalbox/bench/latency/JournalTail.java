// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.Quantiles;
import io.signalbox.bench.JournalAppend;
import io.signalbox.engine.EngineConfig.Waiting;
import io.signalbox.engine.HandlerThreads;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.Durability;
import org.HdrHistogram.Histogram;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Latency of the first token with a journal of durability PROCESS and without a journal, interleaved in one process at the
 * same rates: shares of the most requests per second with the journal. Other users of the machine slow both, so the ratios
 * count. The load is that of {@link EngineLatency}.
 *
 * <pre>
 *   JournalTail SECONDS JOURNAL_DIRECTORY [PERCENT,…]
 * </pre>
 *
 * SECONDS is the time of each half of a turn; PERCENT, by default 50 and 80, are the shares.
 */
public final class JournalTail
{
    private static final int WINDOWS = 3;
    private static final int TURNS = 6;
    private static final double TAIL = 99;

    private final double seconds;
    private final Side plain;
    private final Side journaled;

    private JournalTail(final double seconds, final Side plain, final Side journaled)
    {
        this.seconds = seconds;
        this.plain = plain;
        this.journaled = journaled;
    }

    /** One of the two engines, with its times of all turns at one rate. */
    private static final class Side implements AutoCloseable
    {
        private final String name;
        private final MeasuredFirstTokens tokens = new MeasuredFirstTokens(null);
        private final SignalboxEngine engine;
        private final LatencyLoad load;
        private final Histogram all = new Histogram(MeasuredFirstTokens.MAX_NANOS, 3);
        private final double[] tails = new double[TURNS];

        Side(final Path directory, final Durability durability)
        {
            final LatencyCell cell = new LatencyCell(Waiting.BLOCKING, 0, durability, HandlerThreads.BY_CORES);
            name = cell.journalName();
            engine = SignalboxEngine.launch(cell.config(directory, tokens, null));
            load = new LatencyLoad(engine, tokens, null);
        }

        void turn(final int turn, final double perSecond, final double seconds)
        {
            final ProcessCost cost = new ProcessCost().begin();
            final Histogram times = load.atRate(perSecond, seconds);
            final long count = times.getTotalCount();
            all.add(times);
            tails[turn] = times.getValueAtPercentile(TAIL);
            System.out.printf(Locale.ROOT, "| %d | %s | %,.0f | %s | %.1f µs | %s | %s |%n", turn + 1, name, perSecond,
                columns(times), cost.cpuMicros() / count, cost.threadMicros(count), cost.pageFaults(count));
        }

        void print(final double perSecond)
        {
            System.out.printf(Locale.ROOT, "| *all* | %s | %,.0f | %s | | | |%n", name, perSecond, columns(all));
        }

        private static String columns(final Histogram times)
        {
            return String.join(" | ", EngineLatency.time(times.getValueAtPercentile(50)),
                EngineLatency.time(times.getValueAtPercentile(TAIL)), EngineLatency.time(times.getMaxValue()));
        }

        @Override
        public void close()
        {
            engine.close();
        }
    }

    public static void main(final String[] args) throws Exception
    {
        if (args.length < 2 || args.length > 3)
        {
            System.err.println("usage: JournalTail SECONDS JOURNAL_DIRECTORY [PERCENT,…]");
            System.exit(2);
        }
        final Path directory = Files.createTempDirectory(Files.createDirectories(Path.of(args[1])), "tail");
        try (Side plain = new Side(directory, null); Side journaled = new Side(directory, Durability.PROCESS))
        {
            new JournalTail(Double.parseDouble(args[0]), plain, journaled).run(
                Arrays.stream((args.length == 2 ? "50,80" : args[2]).split(",")).mapToInt(Integer::parseInt).toArray());
        }
        finally
        {
            JournalAppend.delete(directory);
        }
    }

    private void run(final int... percents)
    {
        for (final Side side : new Side[] {plain, journaled, plain})
        {
            side.load.maximum(seconds);
        }
        final double[] windows = new double[WINDOWS];
        Arrays.setAll(windows, window -> journaled.load.maximum(seconds / WINDOWS));
        final double most = Quantiles.of(windows, 50);
        System.out.printf(Locale.ROOT, "%,.0f requests/s at most with a journal of durability process%n%n" +
            "| turn | journal | requests/s | p50 | p99 | max | CPU time of each | of it, by thread, in µs | " +
            "page faults per request |%n| --- | --- |%s --- | --- |%n", most, " ---: |".repeat(5));
        for (final int percent : percents)
        {
            turns(most * percent / 100);
        }
    }

    private void turns(final double perSecond)
    {
        plain.all.reset();
        journaled.all.reset();
        for (int turn = 0; turn < TURNS; turn++)
        {
            plain.turn(turn, perSecond, seconds);
            journaled.turn(turn, perSecond, seconds);
        }
        plain.print(perSecond);
        journaled.print(perSecond);
        System.out.printf(Locale.ROOT, "| *with / without* | | | %.1f | %.1f | %.1f | | | |%n",
            ratio(50), ratio(TAIL), ratio(100));
    }

    private double ratio(final double percentile)
    {
        return (double)journaled.all.getValueAtPercentile(percentile) / plain.all.getValueAtPercentile(percentile);
    }
}
