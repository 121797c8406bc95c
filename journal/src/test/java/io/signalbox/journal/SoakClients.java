// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.journal.restart.KeyedRequests;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Submits keyed requests, cancels some, and compares tokens and rows of each with what they must be, over several engines of
 * one run. Remembers only requests that have not ended. One thread.
 */
final class SoakClients
{
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int CANCELS_EVERY = 17;
    /** Requests that are open in a closed loop, and at most. */
    private static final int WINDOW = 64;
    private static final int MOST_OPEN = 2000;

    /** A request that has not been seen to end. */
    private record Open(int key, CompletionHandle handle)
    {
    }

    /** In the order of their ids. */
    private final Map<Long, Open> open = new LinkedHashMap<>();
    private int nextKey;
    private long ended;
    private long cancelled;
    private long rows;
    private int resumed;

    int open()
    {
        return open.size();
    }

    int resumed()
    {
        return resumed;
    }

    long cancelled()
    {
        return cancelled;
    }

    /** Every request that had not ended, or has rows, is there again, with the tokens that it had. */
    void resume(final SignalboxEngine engine) throws Exception
    {
        final Map<Long, Open> before = new LinkedHashMap<>(open);
        for (final CompletionHandle handle : engine.resumed())
        {
            final Open one = before.remove(handle.requestId());
            if (one != null)
            {
                final int[] seen = one.handle.tokens();
                assertArrayEquals(seen, Arrays.copyOf(handle.tokens(), seen.length), "request " + handle.requestId());
                open.put(handle.requestId(), new Open(one.key, handle));
                resumed++;
            }
        }
        for (final Open one : before.values())
        {
            // Its end was visible, so no later engine needs to show it. An end that was not would throw here.
            checkTokens(one, one.handle.await(PATIENCE));
            assertFalse(KeyedRequests.of(one.key).wantsRows(), "the rows of a request were lost by the restart");
            forget(one);
        }
    }

    /** Requests per second with as many open as the window has. */
    double maximum(final SignalboxEngine engine, final double seconds) throws Exception
    {
        final long first = ended;
        final long start = System.nanoTime();
        while (System.nanoTime() - start < seconds * 1e9)
        {
            submit(engine);
            if (open.size() >= WINDOW)
            {
                endOldest();
            }
        }
        return (ended - first) * 1e9 / (System.nanoTime() - start);
    }

    /** Requests at constant intervals, ends in between. */
    void load(final SignalboxEngine engine, final double perSecond, final double seconds) throws Exception
    {
        final long start = System.nanoTime();
        final long count = (long)(perSecond * seconds);
        for (long i = 0; i < count; i++)
        {
            final long moment = start + (long)(i * 1e9 / perSecond);
            endThoseThatAreDone();
            while (System.nanoTime() < moment)
            {
                LockSupport.parkNanos(moment - System.nanoTime());
            }
            submit(engine);
            if (open.size() >= MOST_OPEN)
            {
                endOldest();
            }
        }
    }

    /** Waits until so few are open as a closed loop has, however far a slow machine is behind. */
    void catchUp() throws Exception
    {
        while (open.size() > WINDOW)
        {
            endOldest();
        }
    }

    /** Leaves requests under way. */
    void begin(final SignalboxEngine engine)
    {
        for (int i = 0; i < WINDOW; i++)
        {
            submit(engine);
        }
    }

    void finish() throws Exception
    {
        while (!open.isEmpty())
        {
            endOldest();
        }
    }

    private void submit(final SignalboxEngine engine)
    {
        final int key = nextKey++;
        final CompletionHandle handle = engine.submit(KeyedRequests.of(key).keyed(key));
        assertTrue(open.put(handle.requestId(), new Open(key, handle)) == null, "an id was given twice");
        if (key % CANCELS_EVERY == 0)
        {
            handle.cancel();
        }
    }

    private void endThoseThatAreDone() throws Exception
    {
        final List<Open> done = new ArrayList<>();
        for (final Open one : open.values())
        {
            if (one.handle.isDone())
            {
                done.add(one);
            }
            else if (done.size() + WINDOW < open.size())
            {
                // Requests end about in their order.
                break;
            }
        }
        for (final Open one : done)
        {
            end(one);
        }
    }

    private void endOldest() throws Exception
    {
        end(open.values().iterator().next());
    }

    private void end(final Open one) throws Exception
    {
        final CompletionHandle handle = one.handle;
        final Completion end = handle.await(PATIENCE);
        final KeyedRequests request = KeyedRequests.of(one.key);
        final boolean wasCancelled = checkTokens(one, end);
        if (request.wantsRows() && !wasCancelled)
        {
            final RoutedExperts experts = handle.routedExperts(PATIENCE).orElse(null);
            assertNotNull(experts, () -> "the rows of request " + handle.requestId() + " are lost");
            assertEquals(request.rowsDigest(), KeyedRequests.digest(experts), "the rows of " + handle.requestId());
            rows += experts.rows();
        }
        handle.releaseRoutedExperts(PATIENCE);
        forget(one);
        cancelled += wasCancelled ? 1 : 0;
    }

    /** Returns whether the request was cancelled; every other one has all its tokens. */
    private static boolean checkTokens(final Open one, final Completion end)
    {
        final boolean wasCancelled = one.key % CANCELS_EVERY == 0 && end.reason() == FinishReason.CANCELLED;
        assertTrue(wasCancelled || end.reason() == FinishReason.LENGTH, () -> "request " + one.handle.requestId() +
            " ended by " + end.reason() + " " + end.refusal());
        final int[] expected = KeyedRequests.of(one.key).generated();
        assertArrayEquals(wasCancelled ? Arrays.copyOf(expected, end.tokenCount()) : expected, one.handle.tokens());
        return wasCancelled;
    }

    private void forget(final Open one)
    {
        open.remove(one.handle.requestId());
        ended++;
    }

    @Override
    public String toString()
    {
        return ended + " requests ended as they must, of them " + cancelled + " cancelled and " + resumed +
            " resumed; " + rows + " rows";
    }
}
