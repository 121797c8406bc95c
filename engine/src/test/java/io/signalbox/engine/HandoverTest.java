// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.Handover;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Executors of users may do with a task what they like: it runs once, and elsewhere. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandoverTest
{
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final AtomicInteger runs = new AtomicInteger();

    /** The number of runs of three tasks, each handed over when the one before has run. */
    private int runsOf(final Executor executor) throws InterruptedException
    {
        for (int task = 0; task < 3; task++)
        {
            final CountDownLatch ran = new CountDownLatch(1);
            new Handover(executor, () ->
            {
                runs.incrementAndGet();
                ran.countDown();
            }).handOver();
            ran.await();
        }
        pool.shutdown();
        assertTrue(pool.awaitTermination(60, TimeUnit.SECONDS));
        return runs.get();
    }

    @Test
    void shouldRunOnceIfTheExecutorRunsATaskTwice() throws Exception
    {
        assertEquals(3, runsOf(task ->
        {
            pool.execute(task);
            pool.execute(task);
        }));
    }

    @Test
    void shouldRunOnceIfTheExecutorThrowsAfterItTookATask() throws Exception
    {
        assertEquals(3, runsOf(task ->
        {
            pool.execute(task);
            throw new IllegalStateException("planted");
        }));
    }

    @Test
    void shouldRunATaskThatTheExecutorRefusedWithAnError() throws Exception
    {
        assertEquals(3, runsOf(task ->
        {
            throw new AssertionError("planted");
        }));
    }

    @Test
    void shouldPassOnThatTheJvmIsExhausted()
    {
        final OutOfMemoryError exhausted = new OutOfMemoryError("planted");
        assertSame(exhausted, assertThrows(OutOfMemoryError.class, () -> new Handover(task ->
        {
            throw exhausted;
        }, runs::incrementAndGet).handOver()));
        assertEquals(0, runs.get());
    }

    @Test
    void shouldTellAFollowerAgainOnceTheJvmIsNoLongerExhausted() throws InterruptedException
    {
        final AtomicInteger asked = new AtomicInteger();
        final CountDownLatch read = new CountDownLatch(1);
        final CompletionHandle refused = new CompletionHandle(null, Refusal.interrupted());
        final Follower follower = new Follower(refused, new TokenListener()
        {
            @Override
            public void onTokens(final CompletionHandle request, final int from, final int to)
            {
                throw new AssertionError("a refused request has no tokens");
            }

            @Override
            public void onEnd(final CompletionHandle request, final Completion completion)
            {
                read.countDown();
            }
        }, task ->
        {
            if (asked.getAndIncrement() == 0)
            {
                throw new OutOfMemoryError("planted");
            }
            pool.execute(task);
        });

        assertThrows(OutOfMemoryError.class, follower::signal);
        follower.signal();
        assertTrue(read.await(60, TimeUnit.SECONDS));
        pool.shutdown();
    }
}
