// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.engine.request.ShellInputs;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineClientTest
{
    private static final long SECOND = 1_000_000_000L;

    private final SchedulerConfig config = SchedulerConfig.builder()
        .ranks(2).blockSizeTokens(16).kvBlocks(65).depth(1).capture(new ModelShape(2, 64, 2)).build();
    private final AtomicLong clock = new AtomicLong();
    private final EngineConfig context =
        new EngineConfig().scheduler(config).ingressSlots(8).trackSlots(8).clock(clock::incrementAndGet);
    private final EngineClient client = new EngineClient(context);

    private EngineConfig context()
    {
        return context;
    }

    private static CompletionRequest requestWithRows(final int maxNewTokens, final int rowsFrom)
    {
        return CompletionRequest.prompt(IntStream.range(0, 40).toArray()).maxNewTokens(maxNewTokens).routedExperts(rowsFrom);
    }

    private static CompletionRequest request(final int promptTokens, final int maxNewTokens)
    {
        return CompletionRequest.prompt(IntStream.range(0, promptTokens).toArray()).maxNewTokens(maxNewTokens);
    }

    /** A launch and an answer of every step that may be in flight find a slot, whatever clients have in the ring. */
    @Test
    void shouldKeepTwoSlotsForEachStepInFlight()
    {
        assertEquals(8 - 2 * 2, client.creditCount());
        assertEquals(64 - 2 * 2 * 2, creditsOf(config.toBuilder().ranks(2), 0), "the default depth");
        assertEquals(64 - 2 * 2 * 4, creditsOf(config.toBuilder().ranks(2), 4));
        assertEquals("ingressSlots=64 leaves no slot for clients beside 2 for each of 4 steps in flight of ranks=8; " +
            "give at least 65.",
            assertThrows(ConfigException.class, () -> creditsOf(config.toBuilder().ranks(8), 4)).getMessage());
    }

    /** @param depth 0: none is given. */
    private static int creditsOf(final SchedulerConfig.Builder ranks, final int depth)
    {
        final SchedulerConfig.Builder builder =
            depth == 0 ? SchedulerConfig.builder().ranks(2).kvBlocks(65) : ranks.depth(depth);
        return new EngineClient(new EngineConfig().scheduler(builder.build()).ingressSlots(64)).creditCount();
    }

    @Test
    void shouldCompleteRequestsWithTheirTokensAndRows() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context().backend(new RacingBackend())))
        {
            client.connect(engine);
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < 100; i++)
            {
                handles.add(client.submit(request(40, 7), 30 * SECOND));
            }
            for (final CompletionHandle handle : handles)
            {
                final Completion ended = handle.ended().join();
                assertEquals(FinishReason.LENGTH, ended.reason());
                assertEquals(7, ended.tokens().length);
                assertEquals(46, ended.capturedRows() + ended.inheritedRows());
            }
        }
    }

    @Test
    void shouldHandOverTheRowsOnceFromTheWantedPosition() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context().backend(new RacingBackend())))
        {
            client.connect(engine);
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < 50; i++)
            {
                handles.add(client.submit(requestWithRows(7, 30), 30 * SECOND));
            }
            for (final CompletionHandle handle : handles)
            {
                final RoutedExperts experts = client.takeRows(handle, 30 * SECOND);
                assertEquals(30, experts.start());
                assertEquals(16, experts.rows());
                for (final short expert : experts.ids())
                {
                    assertTrue(expert >= 0 && expert < 64, "expert " + expert);
                }
                engine.awaitProcessed();
                assertNull(client.takeRows(handle, 30 * SECOND), "taken once");
                assertNull(engine.rows(handle.requestId()), "the scheduler has given up its own");
            }
        }
    }

    @Test
    void shouldRefuseWithoutACredit() throws Exception
    {
        final HoldingEngine engine = new HoldingEngine();
        client.connect(engine);
        final CompletionHandle handle = submitAllCredits();
        assertNull(client.submit(request(16, 1), 0), "every credit is out");
        assertFalse(client.cancel(handle, 0), "every credit is out");
        assertEquals(client.creditCount(), engine.held.size());
    }

    /** A request with its client's id needs two credits. It waits for both together: other requests may use one. */
    @Test
    void shouldHoldNoCreditWhileARequestWaitsForTwo() throws Exception
    {
        client.connect(new HoldingEngine());
        for (int i = 1; i < client.creditCount(); i++)
        {
            assertTrue(client.takeCredit(0), "credit " + i);
        }
        final Thread waiter = new Thread(() -> assertThrows(InterruptedException.class,
            () -> client.submit(request(16, 1).clientId("a"), 3600 * SECOND)));
        waiter.setDaemon(true);
        waiter.start();
        while (waiter.getState() != Thread.State.TIMED_WAITING)
        {
            Thread.onSpinWait();
        }
        assertNotNull(client.submit(request(16, 1), 0), "one credit is free");
        waiter.interrupt();
        waiter.join();
    }

    /** Returns the last handle. */
    private CompletionHandle submitAllCredits() throws InterruptedException
    {
        CompletionHandle last = null;
        for (int i = 0; i < client.creditCount(); i++)
        {
            last = client.submit(request(16, 1), 0);
            assertNotNull(last, "request " + i);
        }
        return last;
    }

    @Test
    void shouldGiveTheCreditBackWhenARequestIsTooLargeForTheEngine() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context().backend(new RacingBackend())))
        {
            client.connect(engine);
            for (int i = 0; i <= client.creditCount(); i++)
            {
                final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
                    () -> client.submit(request(2_100_000, 1), SECOND));
                assertTrue(refusal.getMessage().contains("above the bound of " + Engine.MAX_INPUT_BYTES));
            }
            assertNull(engine.failure());
            assertEquals(FinishReason.LENGTH, client.submit(request(16, 1), SECOND).ended().join().reason());
        }
    }

    @Test
    void shouldTakeNoCreditForAnInputOfAnotherPublisher() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context().backend(new SilentBackend())))
        {
            client.connect(new HoldingEngine());
            submitAllCredits();
            final InputWriter writer = new InputWriter();
            for (int i = 0; i < 100; i++)
            {
                writer.control().timeNanos(1).requestId(-1).kind(ControlKind.NOTE).note("by an operator");
                engine.offer(writer.buffer(), 0, writer.length(), null);
            }
            assertNull(client.submit(request(16, 1), 0), "a credit came back for another's input");
        }
    }

    /** It notes a failed reset and discards rows, while inputs of the client that name the same request are under way. */
    @Test
    void shouldReturnNoCreditForAnInputThatTheEngineItselfWrites() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context().backend(new SilentBackend())))
        {
            client.connect(new HoldingEngine());
            assertTrue(client.resetCache());
            final CompletionHandle handle = client.submit(requestWithRows(1, 0), 0);
            for (int i = 2; i < client.creditCount(); i++)
            {
                assertTrue(client.takeCredit(0), "credit " + i);
                client.releaseRows(handle);
            }
            final InputWriter writer = new InputWriter();
            final ShellInputs discard = new ShellInputs();
            for (int i = 0; i < 10; i++)
            {
                writer.control().timeNanos(1).requestId(-1).kind(ControlKind.NOTE).note("the reset of rank 1 failed");
                engine.offer(writer.buffer(), 0, writer.length(), null);
                discard.discardRows(handle.requestId(), 1);
                engine.offer(discard.buffer(), 0, discard.length(), null);
            }
            assertFalse(client.takeCredit(0), "a credit came back for an input of the engine");
        }
    }

    @Test
    void shouldLetEveryWaiterGoWhenTheEngineFails() throws Exception
    {
        client.connect(new HoldingEngine());
        final CompletionHandle handle = submitAllCredits();
        final List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++)
        {
            final Thread waiter = new Thread(
                () -> assertThrows(IllegalStateException.class, () -> client.cancel(handle, 3600 * SECOND)));
            waiter.setDaemon(true);
            waiter.start();
            waiters.add(waiter);
        }
        for (final Thread waiter : waiters)
        {
            while (waiter.getState() != Thread.State.TIMED_WAITING)
            {
                Thread.onSpinWait();
            }
        }
        client.failAll(new IllegalStateException("planted"));
        for (final Thread waiter : waiters)
        {
            waiter.join();
        }
        assertThrows(CompletionException.class, () -> handle.ended().join());
    }

    @Test
    void shouldLetWhatDependsOnAHandleCallTheClient() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context().backend(new RacingBackend())))
        {
            client.connect(engine);
            final List<CompletableFuture<RoutedExperts>> taken = new ArrayList<>();
            for (int i = 0; i < 400; i++)
            {
                final CompletionHandle handle = client.submit(requestWithRows(1, 0), 30 * SECOND);
                taken.add(handle.ended().thenApply(ended -> takeRows(handle)));
            }
            for (final CompletableFuture<RoutedExperts> experts : taken)
            {
                assertEquals(40, experts.join().rows());
            }
        }
    }

    private RoutedExperts takeRows(final CompletionHandle handle)
    {
        try
        {
            return client.takeRows(handle, 30 * SECOND);
        }
        catch (final InterruptedException | TimeoutException e)
        {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldHandOverTheRowsToOneOfTwoTakers() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context().backend(new RacingBackend())))
        {
            client.connect(engine);
            for (int i = 0; i < 200; i++)
            {
                final CompletionHandle handle = client.submit(requestWithRows(2, 0), 30 * SECOND);
                final CompletableFuture<RoutedExperts> other = CompletableFuture.supplyAsync(() -> takeRows(handle));
                final RoutedExperts mine = takeRows(handle);
                assertTrue(mine == null ^ other.join() == null, "round " + i);
            }
        }
    }

    /** A reader has all rows or none, whenever another thread releases them. */
    @Test
    void shouldNotReleaseRowsThatAreBeingRead() throws Exception
    {
        try (ThreadedEngine engine = new ThreadedEngine(context().backend(new RacingBackend())))
        {
            client.connect(engine);
            for (int i = 0; i < 200; i++)
            {
                final CompletionHandle handle = client.submit(requestWithRows(2, 0), 30 * SECOND);
                handle.await(60 * SECOND);
                final CompletableFuture<RoutedExperts> released = CompletableFuture.supplyAsync(() -> takeRows(handle));
                final RoutedExperts read = handle.routedExperts(Duration.ofMinutes(1)).orElse(null);
                final RoutedExperts taken = released.join();
                assertTrue(read == null || Arrays.equals(read.ids(), taken.ids()), "round " + i);
                assertNull(handle.routedExperts(Duration.ofMinutes(1)).orElse(null));
            }
        }
    }

    @Test
    void shouldTellWhenTheRowsCannotBeTakenInTime() throws Exception
    {
        client.connect(new HoldingEngine());
        final CompletionHandle handle = client.submit(requestWithRows(2, 0), SECOND);
        assertThrows(TimeoutException.class, () -> client.takeRows(handle, 0));
    }

    @Test
    void shouldRefuseAContextThatChangesAfterItsClientWasMade()
    {
        assertThrows(ConfigException.class, () -> context.ingressSlots(16));
        assertThrows(ConfigException.class, () -> context.scheduler(config));
        assertThrows(ConfigException.class, () -> context.clock(System::nanoTime));
        assertThrows(ConfigException.class, () -> new EngineClient(context));
    }

    @Test
    void shouldRefuseARequestWithoutPromptOrCacheKeyInOneSentence()
    {
        final CompletionRequest pattern = CompletionRequest.prompt(new int[16]);
        for (final Executable request : new Executable[] {
            () -> CompletionRequest.prompt(null),
            () -> CompletionRequest.prompt(new int[0]),
            () -> pattern.cacheKey(null),
            () -> pattern.maxNewTokens(-1),
            () -> pattern.stopAt(5, -1),
            () -> pattern.stopAt((int[])null),
            () -> pattern.stopAt(IntStream.rangeClosed(0, CompletionRequest.MAX_STOP_TOKENS).toArray()),
            () -> pattern.routedExperts(17),
            () -> pattern.rankHint(-1),
            () -> pattern.conversation(-1),
            () -> pattern.deadline(Duration.ZERO),
            () -> pattern.temperature(Double.NaN),
            () -> pattern.topP(0),
            () -> pattern.topK(-1)})
        {
            final String message = assertThrows(ConfigException.class, request).getMessage();
            assertTrue(message.endsWith("."), message);
        }
    }

    @Test
    void shouldTellWhyARequestWasRefused() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(context().backend(new SilentBackend())))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(request(2000, 1), SECOND);
            assertEquals(Refusal.Reason.TOO_LONG_FOR_POOL, handle.ended().join().refusal().orElseThrow().reason());
        }
    }

    @Test
    void shouldCancelARequestInTheQueue() throws Exception
    {
        try (SteppedEngine engine = new SteppedEngine(
            context().backend(new SilentBackend()).wakeSource(EngineConfig.WakeSource.CALLER)))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(request(20, 5), SECOND);
            assertTrue(client.cancel(handle, SECOND));
            assertEquals(FinishReason.CANCELLED, handle.ended().join().reason());
        }
    }

    @Test
    void shouldFailEveryOpenHandleWhenTheEngineFails() throws Exception
    {
        final EngineConfig context = context().backend(new SilentBackend()).journal(new FailingJournal(3));
        try (ThreadedEngine engine = new ThreadedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle first = client.submit(request(20, 5), SECOND);
            assertThrows(IllegalStateException.class, () ->
            {
                while (true)
                {
                    client.submit(request(20, 5), SECOND);
                }
            });
            final CompletionException failure = assertThrows(CompletionException.class, () -> first.ended().join());
            assertTrue(failure.getMessage().contains("planted"), failure::getMessage);
            assertThrows(IllegalStateException.class, engine::awaitProcessed);
        }
    }
}
