// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.stats.EngineStats;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The use that an embedder makes of an engine. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SignalboxEngineTest
{
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);
    private static final CompletionRequest REQUEST = CompletionRequest.prompt(new int[10]).maxNewTokens(4);
    private static final int[] TOKENS = {10, 11, 12, 13};

    private final SchedulerConfig settings = SchedulerConfig.builder().ranks(2).kvBlocks(65).build();

    private SignalboxEngine launch()
    {
        return SignalboxEngine.launch(config());
    }

    private EngineConfig config()
    {
        return new EngineConfig().scheduler(settings).backend(new CountingBackend(0));
    }

    @Test
    void shouldHandOutTokensOneByOneToALoop()
    {
        try (SignalboxEngine engine = launch())
        {
            final List<Integer> seen = new ArrayList<>();
            for (final int token : engine.submit(REQUEST))
            {
                seen.add(token);
            }
            assertEquals(List.of(10, 11, 12, 13), seen);
        }
    }

    /** They count everything that a client has seen. */
    @Test
    void shouldSayWhatItHasDone() throws Exception
    {
        try (SignalboxEngine engine = launch())
        {
            for (int i = 0; i < 20; i++)
            {
                engine.submit(REQUEST).await();
            }
            final EngineStats stats = engine.stats();
            assertEquals(new EngineStats.RequestFigures(0, 0, 0, 20, 0, 20, 0, 0, 0, 0, 0, 0, 0), stats.requests());
            assertEquals(80, stats.steps().generatedTokens());
            assertEquals(20, stats.timeToFirstToken().count());
            assertEquals(60, stats.interTokenLatency().count());
            assertEquals(20, stats.queueTime().count());
            assertTrue(stats.timeToFirstToken().p99Nanos() <= stats.endToEnd().maxNanos());
            assertEquals(2, stats.ranks().size());
            final EngineStats.Rings rings = stats.shell().rings();
            assertTrue(rings.groups() > 80 && rings.journalLag() >= 0, rings.toString());
        }
    }

    @Test
    void shouldSayWhatItIsAndHowItIs() throws Exception
    {
        final SignalboxEngine engine = launch();
        try (engine)
        {
            engine.submit(REQUEST).await();
            assertEquals("engine running: 2 ranks on the backend counting, 0 requests running, 0 waiting, no journal",
                engine.toString());
        }
        assertEquals("engine closed: 2 ranks on the backend counting, 0 requests running, 0 waiting, no journal",
            engine.toString());
    }

    @Test
    void shouldCompleteAStageAndLetItCallTheEngine() throws Exception
    {
        try (SignalboxEngine engine = launch())
        {
            final Completion second = engine.submit(REQUEST).completion()
                .thenCompose(first -> engine.submit(REQUEST.maxNewTokens(first.tokenCount() + 1)).completion())
                .toCompletableFuture().get();
            assertEquals(5, second.tokenCount());
            assertEquals(FinishReason.LENGTH, second.reason());
            assertTrue(second.refusal().isEmpty());
        }
    }

    @Test
    void shouldCallAListenerWithEveryTokenAndTheEnd() throws Exception
    {
        try (SignalboxEngine engine = launch())
        {
            final List<Integer> seen = new ArrayList<>();
            final CompletableFuture<Completion> end = new CompletableFuture<>();
            engine.submit(REQUEST).listen(new TokenListener()
            {
                @Override
                public void onTokens(final CompletionHandle request, final int from, final int to)
                {
                    IntStream.range(from, to).forEach(i -> seen.add(request.token(i)));
                }

                @Override
                public void onEnd(final CompletionHandle request, final Completion completion)
                {
                    end.complete(completion);
                }
            });
            assertArrayEquals(TOKENS, end.get().tokens());
            assertEquals(List.of(10, 11, 12, 13), seen);
        }
    }

    @Test
    void shouldShowTokensToAListenerThatComesLate() throws Exception
    {
        try (SignalboxEngine engine = launch())
        {
            final CompletionHandle request = engine.submit(REQUEST);
            request.await();
            final CompletableFuture<Integer> seen = new CompletableFuture<>();
            request.listen((handle, from, to) -> seen.complete(to - from));
            assertEquals(4, seen.get());
            assertArrayEquals(TOKENS, request.tokens());
            assertThrows(IndexOutOfBoundsException.class, () -> request.token(4));
        }
    }

    /** An executor that runs its task at once would let a listener run, and wait, in a thread of the engine. */
    @Test
    void shouldNeverCallAListenerInAThreadOfTheEngine() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config().callbacks(Runnable::run)))
        {
            final CompletableFuture<String> listener = new CompletableFuture<>();
            final CompletableFuture<String> stage = new CompletableFuture<>();
            final CompletionHandle request = engine.submit(REQUEST.maxNewTokens(100));
            request.completion().thenRun(() -> stage.complete(Thread.currentThread().getName()));
            request.listen((handle, from, to) -> listener.complete(Thread.currentThread().getName()), Runnable::run);
            assertTrue(listener.get().startsWith("signalbox-callback-"), listener.get());
            assertTrue(stage.get().startsWith("signalbox-callback-") || stage.get().equals(Thread.currentThread().getName()),
                stage.get());
        }
    }

    @Test
    void shouldCancelARunningRequest() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(
            new EngineConfig().scheduler(settings).backend(new CountingBackend(100_000))))
        {
            final CompletionHandle request = engine.submit(REQUEST.maxNewTokens(900));
            assertTrue(request.iterator().hasNext());
            assertTrue(request.cancel());
            final Completion completion = request.await();
            assertEquals(FinishReason.CANCELLED, completion.reason());
            assertTrue(completion.tokenCount() < 900);
            assertTrue(request.cancel(), "it has ended");
        }
    }

    @Test
    void shouldEndARequestAtItsDeadline() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(
            new EngineConfig().scheduler(settings).backend(new CountingBackend(1_000_000))))
        {
            final CompletionRequest request = REQUEST.maxNewTokens(900).deadline(Duration.ofMillis(5));
            assertEquals(FinishReason.DEADLINE, engine.submit(request).await().reason());
        }
    }

    @Test
    void shouldRefuseAtOnceAndSayWhenToComeAgain() throws Exception
    {
        final GatedJournal journal = new GatedJournal();
        final EngineConfig config = config().journal(journal).ingressSlots(16).submitWait(Duration.ZERO);
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final List<CompletionHandle> accepted = new ArrayList<>();
            CompletionHandle last = engine.submit(REQUEST);
            while (!last.isDone())
            {
                accepted.add(last);
                last = engine.submit(REQUEST);
            }
            final Refusal refusal = last.await().refusal().orElseThrow();
            assertEquals(Refusal.Reason.ENGINE_FULL, refusal.reason());
            assertTrue(refusal.retryAfter().orElseThrow().compareTo(Duration.ofSeconds(1)) <= 0, refusal::toString);
            assertEquals("all 8 slots of the ring of inputs are taken; submit the request again later, let the engine " +
                "wait, or give more ingressSlots", refusal.message());
            journal.open();
            for (final CompletionHandle request : accepted)
            {
                request.await();
            }
        }
    }

    /** The thread that makes room must not wait for it. */
    @Test
    void shouldNotWaitForRoomInAThreadOfTheEngine() throws Exception
    {
        final AtomicReference<SignalboxEngine> door = new AtomicReference<>();
        final AtomicReference<CompletionHandle> refused = new AtomicReference<>();
        final CountDownLatch full = new CountDownLatch(1);
        final EngineConfig config = config().submitWait(EngineConfig.FOREVER).ingressSlots(16);
        config.listener((group, offset, length) ->
        {
            while (door.get() != null && refused.get() == null)
            {
                final CompletionHandle request = door.get().submit(REQUEST);
                if (request.isDone())
                {
                    refused.set(request);
                    full.countDown();
                }
            }
        });
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            door.set(engine);
            engine.submit(REQUEST).await();
            full.await();
            assertEquals(Refusal.Reason.ENGINE_FULL, refused.get().await().refusal().orElseThrow().reason());
        }
    }

    @Test
    void shouldSayThatAnInterruptedThreadSubmittedNothing()
    {
        final GatedJournal journal = new GatedJournal();
        try (SignalboxEngine engine = SignalboxEngine.launch(config().journal(journal).ingressSlots(16)))
        {
            Thread.currentThread().interrupt();
            Refusal refusal = null;
            while (refusal == null)
            {
                final CompletionHandle request = engine.submit(REQUEST);
                refusal = request.isDone() ? request.end().refusal().orElse(null) : null;
            }
            assertEquals(Refusal.Reason.INTERRUPTED, refusal.reason());
            assertTrue(Thread.interrupted());
            journal.open();
        }
    }

    @Test
    void shouldTellThatARequestCanNeverRun() throws Exception
    {
        try (SignalboxEngine engine = launch())
        {
            final CompletionHandle request = engine.submit(CompletionRequest.prompt(new int[2000]));
            final Refusal refusal = request.await().refusal().orElse(null);
            assertEquals(Refusal.Reason.TOO_LONG_FOR_POOL, refusal.reason());
            assertEquals(Optional.empty(), refusal.retryAfter());
            assertEquals("request " + request.requestId() + " was refused: " + refusal.message(),
                assertThrows(IllegalStateException.class, request.iterator()::hasNext).getMessage());
        }
    }

    @Test
    void shouldFinishWhatItHasWhenItDrains() throws Exception
    {
        try (SignalboxEngine engine = launch())
        {
            final List<CompletionHandle> requests = new ArrayList<>();
            for (int i = 0; i < 50; i++)
            {
                requests.add(engine.submit(REQUEST));
            }
            engine.drain().toCompletableFuture().get();
            assertEquals(Refusal.Reason.DRAINING, engine.submit(REQUEST).await().refusal().orElseThrow().reason());
            for (final CompletionHandle request : requests)
            {
                assertTrue(request.isDone());
                assertArrayEquals(TOKENS, request.await().tokens());
            }
        }
    }

    @Test
    void shouldLetRequestsEndWhenItCloses() throws Exception
    {
        final CountingBackend backend = new CountingBackend(100_000);
        final SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().scheduler(settings).backend(backend));
        final CompletionHandle request = engine.submit(REQUEST.maxNewTokens(200));
        engine.close();
        assertEquals(200, request.await().tokenCount());
        assertTrue(backend.isClosed());
        assertThrows(IllegalStateException.class, () -> engine.submit(REQUEST));
        engine.close();
    }

    @Test
    void shouldFailWhatHasNotEndedWhenItClosesNow()
    {
        final SignalboxEngine engine = SignalboxEngine.launch(
            new EngineConfig().scheduler(settings).backend(new SilentBackend()));
        final CompletionHandle request = engine.submit(REQUEST);
        engine.closeNow();
        assertEquals("request 1 has no result because the engine stopped: the engine is closed",
            assertThrows(IllegalStateException.class, request::await).getMessage());
        assertEquals("the engine stopped: the engine is closed",
            assertThrows(IllegalStateException.class, request.iterator()::hasNext).getMessage());
        assertTrue(request.completion().toCompletableFuture().isCompletedExceptionally());
        assertEquals(Optional.empty(), engine.failure());
    }

    @Test
    void shouldNotWaitForeverForABackendThatSaysNothing()
    {
        final SignalboxEngine engine = SignalboxEngine.launch(
            new EngineConfig().scheduler(settings).backend(new SilentBackend()).drainTimeout(Duration.ofNanos(1)));
        final CompletionHandle request = engine.submit(REQUEST);
        engine.close();
        assertThrows(IllegalStateException.class, request::await);
    }

    @Test
    void shouldTellInTimeThatARequestHasNotEnded()
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(
            new EngineConfig().scheduler(settings).backend(new SilentBackend()).drainTimeout(Duration.ZERO)))
        {
            final CompletionHandle request = engine.submit(REQUEST);
            assertEquals("request 1 had not ended in time",
                assertThrows(TimeoutException.class, () -> request.await(Duration.ofMillis(1))).getMessage());
            assertFalse(request.isDone());
        }
    }

    @Test
    void shouldShareNothingAfterACacheReset() throws Exception
    {
        final SchedulerConfig captures =
            SchedulerConfig.builder().ranks(1).kvBlocks(65).capture(new ModelShape(2, 64, 2)).build();
        try (SignalboxEngine engine = SignalboxEngine.launch(
            new EngineConfig().scheduler(captures).backend(new CountingBackend(0))))
        {
            final CompletionRequest prompt = CompletionRequest.prompt(new int[40]).maxNewTokens(1).routedExperts(0);
            engine.submit(prompt).await();
            assertEquals(32, engine.submit(prompt).await().inheritedRows());
            assertTrue(engine.resetCache());
            assertEquals(0, engine.submit(prompt).await().inheritedRows());
            assertFalse(
                engine.newWeights(WeightSwap.CONTINUE, "second").toCompletableFuture().isCompletedExceptionally());
            final CompletionHandle last = engine.submit(prompt);
            assertEquals(0, last.await().inheritedRows());
            assertEquals(1, last.await().weights().get(0).generation());
            assertEquals(1, engine.weightGeneration());
            assertEquals(40, last.takeRoutedExperts(LONG_ENOUGH).orElseThrow().rows());
            assertNull(last.takeRoutedExperts(LONG_ENOUGH).orElse(null), "taken once");
        }
    }

    @Test
    void shouldKeepWaitersOutOfTheEnginesThreads() throws Exception
    {
        final AtomicReference<CompletionHandle> request = new AtomicReference<>();
        final CompletableFuture<String> refusal = new CompletableFuture<>();
        final EngineConfig config = new EngineConfig().scheduler(settings).backend(new SilentBackend())
            .drainTimeout(Duration.ZERO)
            .handlerThreads(HandlerThreads.EACH).listener((group, offset, length) ->
            {
                if (request.get() != null)
                {
                    refusal.complete(assertThrows(IllegalStateException.class, request.get()::await).getMessage());
                }
            });
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            request.set(engine.submit(REQUEST));
            engine.submit(REQUEST);
            assertEquals("await was called by the engine's own thread signalbox-listener, which would wait for itself; " +
                "call it from another thread", refusal.get());
        }
    }

    @Test
    void shouldNameTheCauseForWhichItFailed() throws Exception
    {
        final SignalboxEngine engine = SignalboxEngine.launch(config().journal(new FailingJournal(2)));
        final CompletionHandle request = engine.submit(REQUEST);
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, request::await);
        assertSame(engine.failure().orElseThrow(), thrown.getCause());
        assertTrue(engine.toString().startsWith("engine failed: 2 ranks on the backend counting, "), engine::toString);
        assertTrue(engine.toString().endsWith("; " + engine.failure().orElseThrow()), engine::toString);
        engine.close();
    }
}
