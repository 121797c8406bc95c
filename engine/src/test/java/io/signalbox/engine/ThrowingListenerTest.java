// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A listener that throws gets no more tokens, but the end: what it holds for the request must be freed somewhere. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThrowingListenerTest
{
    private static final CompletionRequest REQUEST = CompletionRequest.prompt(new int[10]).maxNewTokens(4);
    private static final int[] TOKENS = {10, 11, 12, 13};

    private static EngineConfig config()
    {
        return new EngineConfig().scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(65).build())
            .backend(new CountingBackend(0));
    }

    /** Also one that comes when all tokens, and the end, are there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellAListenerTheEndAfterItHasThrown(final boolean late) throws Exception
    {
        final GatedJournal journal = new GatedJournal();
        try (SignalboxEngine engine = SignalboxEngine.launch(config().journal(journal)))
        {
            final CompletionHandle request = engine.submit(REQUEST);
            if (late)
            {
                journal.open();
                request.await();
            }
            final AtomicInteger calls = new AtomicInteger();
            final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
            final CompletableFuture<Completion> end = new CompletableFuture<>();
            request.listen(new TokenListener()
            {
                @Override
                public void onTokens(final CompletionHandle handle, final int from, final int to)
                {
                    calls.incrementAndGet();
                    Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
                    throw new IllegalStateException("planted");
                }

                @Override
                public void onEnd(final CompletionHandle handle, final Completion completion)
                {
                    end.complete(completion);
                }
            });
            journal.open();
            assertArrayEquals(TOKENS, end.get().tokens());
            assertEquals(1, calls.get(), "it gets no further tokens");
            assertEquals(List.of("planted"), uncaught.stream().map(Throwable::getMessage).toList());
        }
    }

    @Test
    void shouldTellAListenerTheFailureAfterItHasThrown() throws Exception
    {
        final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        final CountDownLatch called = new CountDownLatch(1);
        try (SignalboxEngine engine = SignalboxEngine.launch(config()))
        {
            engine.submit(CompletionRequest.prompt(new int[10]).maxNewTokens(900)).listen(new TokenListener()
            {
                @Override
                public void onTokens(final CompletionHandle handle, final int from, final int to)
                {
                    Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> { });
                    called.countDown();
                    throw new IllegalStateException("planted");
                }

                @Override
                public void onEnd(final CompletionHandle handle, final Completion completion)
                {
                    failure.complete(null);
                }

                @Override
                public void onFailure(final CompletionHandle handle, final Throwable cause)
                {
                    failure.complete(cause);
                }
            });
            called.await();
            engine.closeNow();
        }
        // Fast threads may have finished the request before.
        final Throwable cause = failure.get();
        assertTrue(cause == null || cause.getMessage().contains("the engine is closed"), String.valueOf(cause));
    }
}
