// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Routed experts of ended requests hold bounded memory, and nobody loses them silently. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BoundedRowsTest
{
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final CompletionRequest REQUEST =
        CompletionRequest.prompt(new int[40]).maxNewTokens(1).routedExperts(0);
    /** Three pages of 16 rows of 8 bytes, and the request. */
    private static final long REQUEST_BYTES = 3 * 16 * 8 + 1024;

    private static EngineConfig config()
    {
        return new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(65).prefixCaching(false).capture(SHAPE).build())
            .backend(new CountingBackend(0));
    }

    @Test
    void shouldShowTheBytesThatNobodyTookAndGiveThemBack() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config()))
        {
            final CompletionHandle taken = engine.submit(REQUEST);
            final CompletionHandle discarded = engine.submit(REQUEST);
            taken.await();
            discarded.await();
            assertEquals(new SignalboxEngine.UntakenRowCount(2, 2 * REQUEST_BYTES, 0), engine.untakenRows());
            assertEquals(40, taken.takeRoutedExperts(LONG_ENOUGH).orElseThrow().rows());
            discarded.releaseRoutedExperts(LONG_ENOUGH);
            discarded.releaseRoutedExperts(LONG_ENOUGH);
            assertNull(discarded.takeRoutedExperts(LONG_ENOUGH).orElse(null), "they were discarded by their client");
            engine.engine().awaitProcessed();
            assertEquals(new SignalboxEngine.UntakenRowCount(0, 0, 0), engine.untakenRows());
        }
    }

    @Test
    void shouldDiscardTheOldestAboveTheBytesAndCountThem() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config().maxUntakenRowsBytes(2 * REQUEST_BYTES)))
        {
            final List<CompletionHandle> requests = new ArrayList<>();
            for (int i = 0; i < 5; i++)
            {
                requests.add(engine.submit(REQUEST));
                requests.get(i).await();
            }
            engine.engine().awaitProcessed();
            assertEquals(new SignalboxEngine.UntakenRowCount(2, 2 * REQUEST_BYTES, 3), engine.untakenRows());
            assertThrows(RowsDiscardedException.class, () -> requests.get(2).takeRoutedExperts(LONG_ENOUGH));
            assertEquals(40, requests.get(3).takeRoutedExperts(LONG_ENOUGH).orElseThrow().rows());
        }
    }

    /** Nothing else happens: the timer must notice it. */
    @Test
    void shouldDiscardRowsThatAreTooOld() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config().maxUntakenRowsAge(Duration.ofNanos(1_000_000))))
        {
            final CompletionHandle request = engine.submit(REQUEST);
            request.await();
            while (engine.untakenRows().discardedRequests() == 0)
            {
                Thread.onSpinWait();
            }
            final String message =
                assertThrows(RowsDiscardedException.class, () -> request.takeRoutedExperts(LONG_ENOUGH)).getMessage();
            assertTrue(message.contains("or for longer than maxUntakenRowsAgeNanos=1000000"), message);
            assertEquals(0, engine.untakenRows().bytes());
        }
    }

    @Test
    void shouldHoldRequestsUntilRowsAreTaken() throws Exception
    {
        final EngineConfig config = config().untakenRows(EngineConfig.UntakenRows.HOLD_REQUESTS)
            .maxUntakenRowsBytes(2 * REQUEST_BYTES).submitWait(EngineConfig.FOREVER);
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final CompletionHandle first = engine.submit(REQUEST);
            final CompletionHandle second = engine.submit(REQUEST);
            final CompletableFuture<CompletionHandle> third =
                CompletableFuture.supplyAsync(() -> engine.submit(REQUEST));
            second.await();
            engine.submit(REQUEST.routedExperts(-1)).await();
            assertFalse(third.isDone(), "both have their rows");
            first.takeRoutedExperts(LONG_ENOUGH);
            third.get().await();
            assertEquals(40, second.takeRoutedExperts(LONG_ENOUGH).orElseThrow().rows(), "nothing was discarded");
            assertEquals(0, engine.untakenRows().discardedRequests());
        }
    }

    @Test
    void shouldRefuseARequestForWhoseRowsThereIsNoRoom() throws Exception
    {
        final EngineConfig config = config().untakenRows(EngineConfig.UntakenRows.HOLD_REQUESTS)
            .maxUntakenRowsBytes(REQUEST_BYTES).submitWait(Duration.ZERO);
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            engine.submit(REQUEST).await();
            final Refusal untaken = engine.submit(REQUEST).await().refusal().orElseThrow();
            assertEquals(Refusal.Reason.ROWS_UNTAKEN, untaken.reason());
            assertEquals("requests hold so many of maxUntakenRowsBytes=1408 that the 1408 of this one do not fit; take or " +
                "discard rows of requests when they have ended, then submit it again", untaken.message());
            final Refusal tooMany = engine.submit(REQUEST.maxNewTokens(100)).await().refusal().orElseThrow();
            assertEquals(Refusal.Reason.ROWS_ABOVE_BOUND, tooMany.reason());
            assertEquals("the rows of the request may need 2176 bytes, above maxUntakenRowsBytes=1408; raise the bound, " +
                "or submit it without rows", tooMany.message());
        }
    }

    /** Its rows would be discarded when it ends, before anybody could take them. */
    @Test
    void shouldRefuseARequestWhoseRowsAloneExceedTheBoundAlsoIfTheOldestAreDiscarded() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config().maxUntakenRowsBytes(REQUEST_BYTES)))
        {
            final Refusal tooMany = engine.submit(REQUEST.maxNewTokens(100)).await().refusal().orElseThrow();
            assertEquals(Refusal.Reason.ROWS_ABOVE_BOUND, tooMany.reason());
            assertEquals("the rows of the request may need 2176 bytes, above maxUntakenRowsBytes=1408; raise the bound, " +
                "or submit it without rows", tooMany.message());
            assertTrue(engine.submit(REQUEST.maxNewTokens(100).routedExperts(-1)).await().refusal().isEmpty());
            final CompletionHandle fits = engine.submit(REQUEST);
            fits.await();
            assertEquals(40, fits.takeRoutedExperts(LONG_ENOUGH).orElseThrow().rows());
        }
    }

    @Test
    void shouldLetGoOfThoseWhoWaitForRoomWhenItCloses() throws Exception
    {
        final EngineConfig config = config().untakenRows(EngineConfig.UntakenRows.HOLD_REQUESTS)
            .maxUntakenRowsBytes(REQUEST_BYTES).submitWait(EngineConfig.FOREVER);
        final SignalboxEngine engine = SignalboxEngine.launch(config);
        engine.submit(REQUEST).await();
        final CompletableFuture<String> thrown = CompletableFuture.supplyAsync(
            () -> assertThrows(IllegalStateException.class, () -> engine.submit(REQUEST)).getMessage());
        engine.closeNow();
        assertTrue(thrown.get().contains("the engine is closed"), thrown.get());
    }

    @Test
    void shouldGiveRoomBackForRequestsThatNeverRan() throws Exception
    {
        final EngineConfig config = config().untakenRows(EngineConfig.UntakenRows.HOLD_REQUESTS)
            .maxUntakenRowsBytes(100 * REQUEST_BYTES).submitWait(Duration.ZERO);
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            for (int i = 0; i < 100; i++)
            {
                assertEquals(Refusal.Reason.TOO_LONG_FOR_POOL, engine.submit(
                    CompletionRequest.prompt(new int[2000]).routedExperts(0)).await().refusal().orElseThrow().reason());
            }
            assertTrue(engine.submit(REQUEST).await().refusal().isEmpty());
        }
    }

    /** A ring whose threads yield gives the same results; spinning needs more cores than a build may have. */
    @Test
    void shouldWaitByYielding() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config().waiting(EngineConfig.Waiting.YIELDING)))
        {
            assertEquals(1, engine.submit(REQUEST).await().tokenCount());
        }
    }
}
