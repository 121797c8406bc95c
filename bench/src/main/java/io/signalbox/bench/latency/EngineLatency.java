// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.Quantiles;
import io.signalbox.bench.RequestAlone;
import io.signalbox.engine.EngineConfig.Waiting;
import io.signalbox.engine.HandlerThreads;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.Durability;
import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Latency of an embedded engine from the intended time of a request to its first token, over a backend that answers at once:
 * prompts of 256 tokens without a common prefix, one token each. Times of requests are fixed ahead, so a late answer delays
 * no later request: the figures are free of coordinated omission.
 *
 * <p>It prints tables in Markdown, and writes percentile files of HdrHistogram and pictures.
 *
 * <pre>
 *   EngineLatency SECONDS OUT_DIRECTORY JOURNAL_DIRECTORY [WAITING,… [JOURNAL,… [THREADS]]]
 * </pre>
 *
 * SECONDS is the time of each rate; WAITING is blocking, yielding or spinning, JOURNAL none, process, batch or record.
 * THREADS is by_cores (the default), one or each: {@link HandlerThreads}.
 */
public final class EngineLatency
{
    private static final double LOW_RATE = 200;
    private static final double WARM_UP_SHARE = 0.5;
    private static final double TURN_SHARE = 0.5;
    private static final int MAXIMUM_WINDOWS = 3;
    /** Threads of the engine between the one that submits and itself. */
    private static final int FLOOR_THREADS = 2;
    private static final String BEFORE = "before";
    /** Longer than from one request to the next at the low rate. */
    private static final long POLL_NANOS = 10_000_000;
    private static final long IDLE_REST_MILLIS = 1_000;
    private static final long IDLE_MILLIS = 5_000;

    private final double seconds;
    private final Path out;
    private final Path scratch;
    private final LatencyPlot light =
        new LatencyPlot("First token at 200 requests per second, by the way to wait and the durability of the journal");
    private final LatencyPlot busy =
        new LatencyPlot("First token at 80 % of the most requests per second");
    private final HandlerThreads threads;
    private final List<String> maxima = new ArrayList<>();
    private final List<String> latencies = new ArrayList<>();
    private final List<String> turns = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private int engines;

    private EngineLatency(final double seconds, final Path out, final Path scratch, final HandlerThreads threads)
    {
        this.threads = threads;
        this.seconds = seconds;
        this.out = out;
        this.scratch = scratch;
    }

    public static void main(final String[] args) throws Exception
    {
        final LatencyArguments arguments;
        try
        {
            arguments = LatencyArguments.parse(args, Runtime.getRuntime().availableProcessors());
        }
        catch (final IllegalArgumentException e)
        {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        Files.createDirectories(arguments.journals());
        new EngineLatency(arguments.seconds(), Files.createDirectories(arguments.out()),
            Files.createTempDirectory(arguments.journals(), "latency"), arguments.threads()).run(arguments);
    }

    private void run(final LatencyArguments arguments) throws Exception
    {
        final int cores = Runtime.getRuntime().availableProcessors();
        System.out.printf(Locale.ROOT, "%d cores, Java %s. %s %s%n", cores, Runtime.version(), WakeUpCost.describe(),
            RequestAlone.describe());
        System.err.println("hand-overs");
        floor(BEFORE);
        for (final Waiting way : arguments.waitings())
        {
            for (final Optional<Durability> level : arguments.levels())
            {
                row(new LatencyCell(way, 0, level.orElse(null), threads));
            }
        }
        for (final Optional<Durability> level : arguments.levels())
        {
            if (arguments.waitings().contains(Waiting.BLOCKING) && isQuick(level))
            {
                row(new LatencyCell(Waiting.BLOCKING, POLL_NANOS, level.orElse(null), threads));
            }
        }
        System.err.println("hand-overs");
        floor("after");
        if (arguments.skipsSpinning())
        {
            remarks.add(String.format("Spinning was not measured: its threads and the sender need a core each, %d in all, " +
                "and there are %d.", LatencyArguments.SPINNING_CORES, cores));
        }
        printTables();
        light.write(out, "latency-200");
        busy.write(out, "latency-80");
        for (final Optional<Durability> level : arguments.levels())
        {
            if (isQuick(level))
            {
                stages(new LatencyCell(arguments.waitings().get(0), 0, level.orElse(null), threads));
            }
        }
        System.out.printf("%nAn idle engine that blocks took %s of a core. After all runs: %s%n", idle(),
            WakeUpCost.describe());
    }

    /** Whether no request waits for a disk. */
    private static boolean isQuick(final Optional<Durability> level)
    {
        return level.isEmpty() || level.get() == Durability.PROCESS;
    }

    private void printTables()
    {
        System.out.printf("%n| waiting | journal | most requests/s | CPU time of each | of it, by thread, in µs | " +
            "at 200/s, busy of a core | threads blocked per request |%n" +
            "| --- | --- | ---: | ---: | --- | ---: | ---: |%n");
        maxima.forEach(System.out::println);
        System.out.printf("%n| waiting | journal | requests/s | p50 | p99 | p99.9 | max | " +
            "waiting thread has it: p50 | p99 |%n| --- | --- |%s%n", " ---: |".repeat(7));
        latencies.forEach(System.out::println);
        System.out.printf("%nAt 200/s by turns, half as long each: the hand-overs alone, with one thread between, then " +
            "the engine.%n%n| waiting | journal | turn | hand-overs p50 | p99 | first token p50 | p99 | times |%n" +
            "| --- | --- | --- |%s%n", " ---: |".repeat(5));
        turns.forEach(System.out::println);
        remarks.forEach(remark -> System.out.printf("%n%s%n", remark));
    }

    /** CPU time of an engine that was used and has nothing to do. */
    private String idle() throws Exception
    {
        final MeasuredFirstTokens tokens = new MeasuredFirstTokens(null);
        final LatencyCell cell = new LatencyCell(Waiting.BLOCKING, 0, null, threads);
        try (SignalboxEngine engine = SignalboxEngine.launch(cell.config(directory(), tokens, null)))
        {
            new LatencyLoad(engine, tokens, null).maximum(1);
            Thread.sleep(IDLE_REST_MILLIS);
            final ProcessCost cost = new ProcessCost().begin();
            Thread.sleep(IDLE_MILLIS);
            return String.format(Locale.ROOT, "%.2f %%", cost.cpuMicros() / IDLE_MILLIS / 10);
        }
    }

    private void row(final LatencyCell cell) throws IOException, InterruptedException
    {
        System.err.println(cell.name());
        final MeasuredFirstTokens tokens = new MeasuredFirstTokens(null);
        final Path directory = directory();
        final String head = "| " + cell.waitingName() + " | " + cell.journalName() + " | ";
        try (SignalboxEngine engine = SignalboxEngine.launch(cell.config(directory, tokens, null)))
        {
            final LatencyLoad load = new LatencyLoad(engine, tokens, null);
            load.maximum(seconds * WARM_UP_SHARE);
            final StringBuilder cost = new StringBuilder(head);
            final double most = most(load, tokens, cost);
            load.awaited(LOW_RATE, seconds * WARM_UP_SHARE);
            final ProcessCost waits = new ProcessCost().begin();
            final LatencyLoad.Awaited awaited = load.awaited(LOW_RATE, seconds);
            maxima.add(String.format(Locale.ROOT, "%s%.1f %% | %s |", cost, waits.cpuMicros() / seconds / 1e4,
                waits.blockedWaits(awaited.received().getTotalCount())));
            write(cell.name(), "200-received", awaited.received());
            if (isQuick(Optional.ofNullable(cell.durability())))
            {
                turns.addAll(new LowRateTurns().measure(load, 1, LOW_RATE, seconds * TURN_SHARE).rows(head));
            }
            final String curve = cell.waitingName() + ", " +
                (cell.durability() == null ? "no journal" : cell.journalName());
            light.add(curve, awaited.visible());
            latencies.add(head + awaited(cell.name(), awaited));
            for (final int percent : cell.pollNanos() > 0 ? new int[0] : new int[] {50, 80})
            {
                final double rate = most * percent / 100;
                latencies.add(String.format(Locale.ROOT, "%s%,.0f (%d %%) | %s | |", head, rate, percent,
                    report(cell.name(), Integer.toString(percent), load.atRate(rate, seconds))));
            }
            if (cell.pollNanos() == 0)
            {
                busy.add(curve, tokens.histogram());
            }
        }
        delete(directory);
    }

    /** Columns of a rate at which one thread sends and waits. */
    private String awaited(final String name, final LatencyLoad.Awaited awaited) throws IOException
    {
        return "200 | " + report(name, "200", awaited.visible()) +
            time(awaited.received().getValueAtPercentile(50)) + " | " +
            time(awaited.received().getValueAtPercentile(99)) + " |";
    }

    /** The hand-overs of a request alone, as many as it has without syncs, and one more: the floor of the machine. */
    private void floor(final String moment) throws IOException, InterruptedException
    {
        for (int threads = 1; threads <= FLOOR_THREADS; threads++)
        {
            final LatencyLoad.Awaited floor = WakeUpCost.floor(threads, LOW_RATE, seconds);
            latencies.add("| *hand-overs alone, " + moment + "* | " + threads + " between | " +
                awaited("floor-" + threads + "-" + moment, floor));
            if (threads == 1 && moment.equals(BEFORE))
            {
                light.add("hand-overs alone", floor.visible());
            }
        }
    }

    /** Median of a few windows; adds the rate and the CPU time per request, that of the sender included. */
    private double most(final LatencyLoad load, final MeasuredFirstTokens tokens, final StringBuilder columns)
    {
        final long first = tokens.ended();
        final ProcessCost cost = new ProcessCost().begin();
        final double[] windows = new double[MAXIMUM_WINDOWS];
        Arrays.setAll(windows, window -> load.maximum(seconds / MAXIMUM_WINDOWS));
        final double most = Quantiles.of(windows, 50);
        columns.append(String.format(
            Locale.ROOT, "%,.0f | %.1f µs | %s | ", most, cost.cpuMicros() / (tokens.ended() - first),
            cost.threadMicros(tokens.ended() - first)));
        return most;
    }

    private void stages(final LatencyCell cell) throws IOException
    {
        System.err.println(cell.name() + ", stages");
        final StageTimes times = new StageTimes();
        final MeasuredFirstTokens tokens = new MeasuredFirstTokens(times);
        final Path directory = directory();
        try (SignalboxEngine engine = SignalboxEngine.launch(cell.config(directory, tokens, times)))
        {
            final LatencyLoad load = new LatencyLoad(engine, tokens, times);
            load.maximum(seconds * WARM_UP_SHARE);
            load.awaited(LOW_RATE, seconds * WARM_UP_SHARE);
            times.clear();
            load.awaited(LOW_RATE, seconds);
        }
        delete(directory);
        System.out.printf("%n%s", times.table("At 200/s, " + cell.waitingName() + ", journal: " + cell.journalName()));
    }

    private Path directory()
    {
        engines++;
        return scratch.resolve("run-" + engines);
    }

    private static void delete(final Path directory) throws IOException
    {
        if (!Files.exists(directory))
        {
            return;
        }
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

    /** Median, p99, p99.9 and maximum as columns of a table. */
    private String report(final String cell, final String rate, final Histogram histogram) throws IOException
    {
        final StringBuilder columns = new StringBuilder();
        for (final double percentile : new double[] {50, 99, 99.9})
        {
            columns.append(time(histogram.getValueAtPercentile(percentile))).append(" | ");
        }
        write(cell, rate, histogram);
        return columns.append(time(histogram.getMaxValue())).append(" | ").toString();
    }

    private void write(final String cell, final String rate, final Histogram histogram) throws IOException
    {
        try (PrintStream file = new PrintStream(
            out.resolve(cell + "-" + rate + ".hgrm").toFile(), StandardCharsets.UTF_8))
        {
            histogram.outputPercentileDistribution(file, 1000.0);
        }
    }

    static String time(final long nanos)
    {
        return nanos < 1_000_000 ? String.format(Locale.ROOT, "%.0f µs", nanos / 1e3) :
            String.format(Locale.ROOT, nanos < 100_000_000 ? "%.1f ms" : "%.0f ms", nanos / 1e6);
    }
}
