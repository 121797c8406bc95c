// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.TestStrength;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.stats.EngineStats;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs of the threaded engine with a hostile backend and several client threads: 40 reduced, 2,000 full. Every request
 * ends as it may and says why, every returned row was computed for its token, the counts of rows are right, every failed
 * step is told, new weights of each way come, the engine continues, and the groups replay. A failing run is repeated with
 * {@code -Dsignalbox.seed=SEED}.
 */
@Tag("threads")
@Timeout(value = 25, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbedderFuzzTest
{
    private static final ModelShape SHAPE = new ModelShape(3, 64, 4);
    private static final long LONG_ENOUGH = 60_000_000_000L;
    private static final int[] DEPTHS = {1, 2, 4};
    /** Holds two reports of each of 4 steps of 3 ranks, and few inputs of clients. */
    private static final int SMALL_RING = 32;
    private static final int TEMPLATES = 3;
    private static final int LONGEST_PROMPT = 200;
    /** How long a client waits for a token after which it ends the answer. */
    private static final long TOKEN_WAIT = 20_000_000L;
    /** Ways that new weights come in one run. */
    private static final List<List<WeightSwap>> WAYS = List.of(List.of(), List.of(WeightSwap.CONTINUE),
        List.of(WeightSwap.ABORT), List.of(WeightSwap.REQUEUE), List.of(WeightSwap.DRAIN),
        List.of(WeightSwap.DRAIN, WeightSwap.ABORT), List.of(WeightSwap.values()));

    /** A request, its prompt's template, and how it is to end. */
    private record Asked(CompletionHandle handle, int template, int prompt, HostileAsk ask)
    {
    }

    @Test
    void shouldEndEveryRequestWithTheRowsThatWereComputedWhateverTheBackendReports() throws Exception
    {
        final Long seed = Long.getLong("signalbox.seed");
        final int runs = seed != null ? 1 : TestStrength.count(20, 2_000);
        for (int i = 0; i < runs; i++)
        {
            run(seed != null ? seed : 10_000L * TestStrength.repetition() + i, null, DEPTHS[i % DEPTHS.length]);
        }
    }

    /** One kind of misbehaviour in two of three steps, so that no other kind masks it: at one depth, or at all if full. */
    @Test
    void shouldDoSoForEachKindOfReportAlone() throws Exception
    {
        for (final HostileBackend.Act act : HostileBackend.Act.values())
        {
            final int first = act.ordinal() + TestStrength.repetition();
            for (int i = first; i < first + TestStrength.count(1, DEPTHS.length); i++)
            {
                run(1_000_000 + act.ordinal(), act, DEPTHS[i % DEPTHS.length]);
            }
        }
    }

    private static void run(final long seed, final HostileBackend.Act only, final int depth) throws Exception
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final HostileBackend backend = new HostileBackend(seed, only);
        final RecordingJournal journal = new RecordingJournal();
        final HostileWitness witness = new HostileWitness();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final List<WeightSwap> ways = WAYS.get((int)(seed % WAYS.size()));
        final SchedulerConfig config = SchedulerConfig.builder().ranks(1 + random.nextInt(3)).blockSizeTokens(16)
            .kvBlocks(40 + random.nextInt(60)).stepTokens(16 + random.nextInt(200)).backOffNanos(1_000)
            .depth(depth).draftTokens(random.nextInt(HostileBackend.DRAFT_TOKENS + 1)).capture(SHAPE).build();
        final EngineConfig context = new EngineConfig().scheduler(config).backend(backend).journal(journal)
            .vocabularySize(HostileBackend.VOCABULARY)
            .ingressSlots(random.nextBoolean() ? SMALL_RING : 1024).trackSlots(8).stepTimeout(Duration.ofNanos(20_000_000))
            .failureListener(failure::set).stepFailureListener(witness::failed).callbacks(witness.callbacks);
        final EngineClient client = new EngineClient(context);
        final String rerun = "run again with -Dsignalbox.seed=" + seed +
            (only == null ? "" : " and only " + only) + " at depth " + depth;
        final ThreadedEngine engine = new ThreadedEngine(context);
        final List<Asked> asked;
        try (engine)
        {
            client.connect(engine);
            final Clients clients = new Clients(client, witness, ways, backend.capabilities().masksStopTokens());
            asked = ask(clients, random);
            for (final Asked each : asked)
            {
                check(seed, client, backend, asked, each, ways);
            }
            assertNull(failure.get(), () -> rerun + ": " + failure.get());
        }
        assertTrue(journal.isClosed() && !journal.isCutShort(), rerun);
        witness.check(rerun, journal);
        checkFigures(rerun, asked, engine.stats().requests());
        ImpossibleRowsTest.assertReplays(config, journal);
    }

    /** What the threads of clients share. */
    private record Clients(EngineClient client, HostileWitness witness, List<WeightSwap> ways, boolean masks)
    {
        /** New weights, if the run has any; one in six requests brings them. */
        private void replaceWeights(final SplittableRandom random)
        {
            if (!ways.isEmpty() && random.nextInt(6) == 0)
            {
                final String version = Long.toHexString(random.nextLong());
                witness.announced(version, client.newWeights(ways.get(random.nextInt(ways.size())), version));
            }
        }
    }

    /** One to three threads submit, and end some of what they submitted. */
    private static List<Asked> ask(final Clients clients, final SplittableRandom random)
    {
        final List<CompletableFuture<List<Asked>>> threads = new ArrayList<>();
        for (int thread = 1 + random.nextInt(3); thread > 0; thread--)
        {
            final SplittableRandom own = random.split();
            threads.add(CompletableFuture.supplyAsync(
                () -> submit(clients, own), task -> new Thread(task, "client").start()));
        }
        final List<Asked> all = new ArrayList<>();
        threads.forEach(each -> all.addAll(each.join()));
        return all;
    }

    private static List<Asked> submit(final Clients clients, final SplittableRandom random)
    {
        final List<Asked> asked = new ArrayList<>();
        try
        {
            for (int i = 5 + random.nextInt(10); i > 0; i--)
            {
                final int template = random.nextInt(TEMPLATES);
                final int[] prompt = new int[1 + random.nextInt(LONGEST_PROMPT)];
                Arrays.setAll(prompt, position -> (template * 211 + position) % HostileBackend.VOCABULARY);
                final HostileAsk ask = HostileAsk.of(random, clients.masks);
                final CompletionRequest request = ask.request(prompt, random);
                for (final CompletionHandle handle : clients.client.submitSamples(request, 1 + random.nextInt(6) / 5))
                {
                    assertTrue(handle.requestId() != CompletionHandle.NO_ID, "no room");
                    asked.add(new Asked(handle, template, prompt.length, ask));
                    end(clients.client, handle, ask);
                }
                clients.replaceWeights(random);
            }
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
        return asked;
    }

    private static void end(final EngineClient client, final CompletionHandle handle, final HostileAsk ask)
        throws InterruptedException
    {
        if (ask.isCancelled())
        {
            client.cancel(handle, LONG_ENOUGH);
        }
        final long start = System.nanoTime();
        while (handle.tokenCount() < ask.stopAfter() && !handle.isDone() && System.nanoTime() - start < TOKEN_WAIT)
        {
            Thread.onSpinWait();
        }
        if (ask.stopAfter() >= 0 && handle.tokenCount() >= ask.stopAfter())
        {
            handle.stopAfter(ask.stopAfter());
        }
    }

    private static void check(final long seed, final EngineClient client, final HostileBackend backend,
        final List<Asked> all, final Asked one, final List<WeightSwap> ways) throws Exception
    {
        final String name = "seed " + seed + ", request " + one.handle.requestId() + ": ";
        final Completion ended = one.handle.ended().get(LONG_ENOUGH, TimeUnit.NANOSECONDS);
        final RoutedExperts rows = client.takeRows(one.handle, LONG_ENOUGH);
        one.ask.check(name, one.prompt, ended, backend, ways.contains(WeightSwap.ABORT));
        assertTrue(ways.contains(WeightSwap.CONTINUE) || ways.contains(WeightSwap.REQUEUE) || ended.weights().size() < 2,
            name + "mixes weights " + ended.weights());
        if (ended.isRefused())
        {
            assertNull(rows, name);
            return;
        }
        assertEquals(ended.rows(), rows.rows(), name + "rows");
        if (ended.reason() == FinishReason.LENGTH || ended.reason() == FinishReason.STOP && ended.tokenCount() > 0)
        {
            assertEquals(one.prompt + Math.max(0, ended.tokens().length - 1), rows.rows(), name + "the law of length");
        }
        int missing = 0;
        for (int position = 0; position < rows.rows(); position++)
        {
            final byte[] row = row(rows, position);
            missing += row[0] == -1 ? 1 : 0;
            assertTrue(computedForToken(backend, all, one, position, row),
                name + "the row of position " + position + " was never computed for it: " + Arrays.toString(row));
        }
        assertEquals(ended.missingRows(), missing, name + "missing rows");
    }

    /** Each request counts once, by the reason for which it ended. */
    private static void checkFigures(
        final String rerun, final List<Asked> asked, final EngineStats.RequestFigures figures)
    {
        final Map<FinishReason, Long> ends = asked.stream()
            .collect(Collectors.groupingBy(each -> each.handle.ended().join().reason(), Collectors.counting()));
        final Map<FinishReason, Long> counted = new EnumMap<>(Map.of(
            FinishReason.LENGTH, figures.completed() - figures.stopped(), FinishReason.STOP, figures.stopped(),
            FinishReason.CANCELLED, figures.cancelled(), FinishReason.DEADLINE, figures.missedDeadlines(),
            FinishReason.NEW_WEIGHTS, figures.abortedByNewWeights(), FinishReason.FAILED, figures.failed(),
            FinishReason.REFUSED, figures.refused()));
        counted.values().removeIf(count -> count == 0);
        assertEquals(ends, counted, rerun);
    }

    private static byte[] row(final RoutedExperts rows, final int position)
    {
        final byte[] row = new byte[SHAPE.rowBytes()];
        for (int i = 0; i < row.length; i++)
        {
            row[i] = (byte)rows.ids()[position * row.length + i];
        }
        return row;
    }

    /** Computed by the request itself or, in its prompt, by a request with the same prompt up to this position. */
    private static boolean computedForToken(final HostileBackend backend, final List<Asked> all, final Asked one,
        final int position, final byte[] row)
    {
        return all.stream().filter(each -> each == one ||
            each.template == one.template && position < Math.min(each.prompt, one.prompt))
            .anyMatch(each -> backend.computed(each.handle.requestId(), position, row));
    }

    /** The oracle finds rows that were computed for another token. */
    @Test
    void shouldFindAForeignRow()
    {
        final HostileBackend backend = new HostileBackend(1, null);
        backend.remember(1, 5, new byte[]{1, 2});
        assertTrue(backend.computed(1, 5, new byte[]{1, 2}));
        assertFalse(backend.computed(1, 6, new byte[]{1, 2}));
        assertFalse(backend.computed(2, 5, new byte[]{1, 2}));
        assertFalse(backend.computed(1, 5, new byte[]{2, 1}));
    }
}
