// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The publisher of a request by the rules of Reactive Streams; the numbers in the names are those of the rules. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TokenPublisherTest
{
    private static final CompletionRequest REQUEST = CompletionRequest.prompt(new int[10]).maxNewTokens(4);
    private static final List<Integer> TOKENS = List.of(10, 11, 12, 13);

    /** One thread: when a task that was given later has run, every signal of an earlier one was sent. */
    private final ExecutorService executor = Executors.newSingleThreadExecutor();
    private final SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(65).build()).backend(new CountingBackend(0)));

    @AfterEach
    void close()
    {
        engine.close();
        executor.shutdown();
    }

    private Recorder subscribe(final CompletionHandle request, final long... demands)
    {
        final Recorder recorder = new Recorder(demands);
        request.publisher(executor).subscribe(recorder);
        return recorder;
    }

    /** Returns once every signal was sent for which there is a reason now. */
    private void settle(final CompletionHandle request) throws Exception
    {
        request.await();
        // A signal may hand over one more run each, so more turns than there are tokens.
        for (int turn = 0; turn < 20; turn++)
        {
            executor.submit(() -> { }).get();
        }
    }

    @Test
    void shouldSignalNoMoreThanWasAskedForBy101And102() throws Exception
    {
        final CompletionHandle request = engine.submit(REQUEST);
        final Recorder recorder = subscribe(request, 1, 2);
        settle(request);
        assertEquals(List.of(10, 11, 12), recorder.tokens);
        assertEquals(0, recorder.terminals.get(), "a token is left");
        recorder.subscription.request(1);
        recorder.end.get();
        assertEquals(TOKENS, recorder.tokens);
    }

    @Test
    void shouldCompleteOnceWithoutDemandBy105And107() throws Exception
    {
        final CompletionHandle request = engine.submit(REQUEST.maxNewTokens(0));
        final Recorder recorder = subscribe(request);
        recorder.end.get();
        recorder.subscription.request(1);
        recorder.subscription.request(-1);
        recorder.subscription.cancel();
        settle(request);
        assertEquals(1, recorder.terminals.get());
    }

    @Test
    void shouldFailThroughOnErrorBy104() throws Exception
    {
        final CompletionHandle request = engine.submit(CompletionRequest.prompt(new int[2000]));
        final Throwable thrown = thrownBy(subscribe(request, 1));
        assertInstanceOf(IllegalStateException.class, thrown);
        assertTrue(thrown.getMessage().startsWith("request 1 was refused: "), thrown::getMessage);
    }

    private static Throwable thrownBy(final Recorder recorder)
    {
        return assertThrows(ExecutionException.class, recorder.end::get).getCause();
    }

    @Test
    void shouldThrowForASubscriberThatIsNullBy109()
    {
        assertThrows(NullPointerException.class, () -> engine.submit(REQUEST).publisher(executor).subscribe(null));
    }

    @Test
    void shouldGiveEverySubscriberAllTokensBy111() throws Exception
    {
        final CompletionHandle request = engine.submit(REQUEST);
        final Recorder first = subscribe(request, 10);
        final Recorder second = subscribe(request, Long.MAX_VALUE);
        first.end.get();
        second.end.get();
        assertEquals(TOKENS, first.tokens);
        assertEquals(TOKENS, second.tokens);
    }

    /** A request from within onNext must not deepen the stack. */
    @Test
    void shouldNotRecurseBy303() throws Exception
    {
        final CompletionHandle request = engine.submit(REQUEST.maxNewTokens(900));
        final Recorder recorder = new Recorder(1);
        recorder.asksInOnNext = true;
        request.publisher(executor).subscribe(recorder);
        recorder.end.get();
        assertEquals(900, recorder.tokens.size());
        assertTrue(recorder.deepest < 100, recorder.deepest + " frames");
    }

    @Test
    void shouldSignalNothingAfterACancelBy305And308() throws Exception
    {
        final CompletionHandle request = engine.submit(REQUEST);
        final Recorder recorder = subscribe(request, 2);
        settle(request);
        recorder.subscription.cancel();
        recorder.subscription.cancel();
        recorder.subscription.request(10);
        settle(request);
        assertEquals(List.of(10, 11), recorder.tokens);
        assertEquals(0, recorder.terminals.get());
        assertEquals(4, request.await().tokenCount(), "the request ran to its end");
    }

    @Test
    void shouldRefuseADemandThatIsNotPositiveBy309() throws Exception
    {
        for (final long demand : new long[] {0, -1, Long.MIN_VALUE})
        {
            final CompletionHandle request = engine.submit(REQUEST);
            final Recorder recorder = subscribe(request, demand);
            final Throwable thrown = thrownBy(recorder);
            assertInstanceOf(IllegalArgumentException.class, thrown);
            assertTrue(thrown.getMessage().contains("3.9"), thrown::getMessage);
            settle(request);
            assertEquals(List.of(), recorder.tokens);
            assertEquals(1, recorder.terminals.get());
        }
    }

    @Test
    void shouldAddDemandsUpToNoLimitBy317() throws Exception
    {
        final CompletionHandle request = engine.submit(REQUEST);
        final Recorder recorder = subscribe(request, Long.MAX_VALUE, Long.MAX_VALUE, 1);
        recorder.end.get();
        assertEquals(TOKENS, recorder.tokens);
    }

    /** A subscriber that throws breaks rule 2.13: it is dropped, and other subscribers see nothing of it. */
    @Test
    void shouldDropASubscriberThatThrows() throws Exception
    {
        final CompletionHandle request = engine.submit(REQUEST);
        final Recorder throwing = new Recorder(10);
        throwing.throwsInOnNext = true;
        request.publisher().subscribe(throwing);
        final Recorder other = subscribe(request, 10);
        other.end.get();
        assertEquals(TOKENS, other.tokens);
        throwing.subscribed.get();
        assertEquals(0, throwing.terminals.get());
    }

    /** Notes what it is signalled, and checks that signals come one by one and in a legal order. */
    private static final class Recorder implements Flow.Subscriber<Integer>
    {
        private final long[] demands;
        private final List<Integer> tokens = new ArrayList<>();
        private final AtomicInteger terminals = new AtomicInteger();
        private final AtomicInteger inside = new AtomicInteger();
        private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private volatile Flow.Subscription subscription;
        private volatile boolean asksInOnNext;
        private volatile boolean throwsInOnNext;
        private int deepest;

        Recorder(final long... demands)
        {
            this.demands = demands;
        }

        @Override
        public void onSubscribe(final Flow.Subscription given)
        {
            enter();
            subscription = given;
            for (final long demand : demands)
            {
                given.request(demand);
            }
            subscribed.complete(null);
            inside.decrementAndGet();
        }

        private void enter()
        {
            if (inside.incrementAndGet() != 1 || terminals.get() > 0)
            {
                end.completeExceptionally(new AssertionError("a signal came within another one, or after the last"));
            }
        }

        @Override
        public void onNext(final Integer token)
        {
            enter();
            tokens.add(token);
            deepest = Math.max(deepest, Thread.currentThread().getStackTrace().length);
            if (asksInOnNext)
            {
                subscription.request(1);
            }
            inside.decrementAndGet();
            if (throwsInOnNext)
            {
                // Its thread ends quietly, as the test expects it to.
                Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> { });
                throw new IllegalStateException("planted");
            }
        }

        @Override
        public void onError(final Throwable throwable)
        {
            terminals.incrementAndGet();
            end.completeExceptionally(throwable);
        }

        @Override
        public void onComplete()
        {
            terminals.incrementAndGet();
            end.complete(null);
        }
    }
}
