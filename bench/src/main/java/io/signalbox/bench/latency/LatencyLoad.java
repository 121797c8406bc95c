// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.SignalboxEngine;
import org.HdrHistogram.Histogram;

import java.util.concurrent.locks.LockSupport;

/** One thread that sends requests to an engine: as fast as it takes them, or at intended times that no answer moves. */
final class LatencyLoad
{
    private static final int PROMPT_TOKENS = 256;
    private static final int WINDOW = 768;
    /** Sleeps end late; the rest of a wait is spent at yielding. */
    private static final long PUNCTUAL_NANOS = 150_000;

    private final SignalboxEngine engine;
    private final MeasuredFirstTokens tokens;
    private final StageTimes times;
    private final int[] prompt = new int[PROMPT_TOKENS];
    private long sent;

    /** @param times {@code null} if nobody wants stages. */
    LatencyLoad(final SignalboxEngine engine, final MeasuredFirstTokens tokens, final StageTimes times)
    {
        this.engine = engine;
        this.tokens = tokens;
        this.times = times;
        for (int i = 0; i < PROMPT_TOKENS; i++)
        {
            prompt[i] = i * 31 + 7;
        }
    }

    /** Requests per second of a closed loop with many in flight. */
    double maximum(final double seconds)
    {
        final long first = sent;
        final long start = System.nanoTime();
        final long end = start + (long)(seconds * 1e9);
        long now = start;
        while (now < end)
        {
            send(now);
            if (sent - tokens.ended() >= WINDOW)
            {
                tokens.awaitEnded(sent - WINDOW / 2);
            }
            now = System.nanoTime();
        }
        tokens.awaitEnded(sent);
        return (sent - first) * 1e9 / (System.nanoTime() - start);
    }

    /** Sends at a constant rate. The times are those of {@link MeasuredFirstTokens}. */
    Histogram atRate(final double perSecond, final double seconds)
    {
        tokens.begin();
        final long start = System.nanoTime() + 1_000_000;
        final long count = Math.max(1, (long)(perSecond * seconds));
        for (long i = 0; i < count; i++)
        {
            final long intended = start + (long)(i * 1e9 / perSecond);
            waitUntil(intended);
            send(intended);
        }
        tokens.awaitEnded(sent);
        return tokens.histogram();
    }

    /**
     * Times from the intended ones on.
     *
     * @param visible  until the token is in the handle.
     * @param received until the thread that waits for it has it.
     */
    record Awaited(Histogram visible, Histogram received)
    {
        static Awaited none()
        {
            return new Awaited(new Histogram(MeasuredFirstTokens.MAX_NANOS, 3),
                new Histogram(MeasuredFirstTokens.MAX_NANOS, 3));
        }

        /** The engine tells the thread that waits before it tells the one that measures. */
        void add(final long intendedNanos, final long seenNanos, final long receivedNanos)
        {
            visible.recordValue(bounded(Math.min(receivedNanos, seenNanos) - intendedNanos));
            received.recordValue(bounded(receivedNanos - intendedNanos));
        }

        private static long bounded(final long nanos)
        {
            return Math.max(0, Math.min(MeasuredFirstTokens.MAX_NANOS, nanos));
        }
    }

    /** Sends at a constant rate and waits for each token in the sending thread. */
    Awaited awaited(final double perSecond, final double seconds)
    {
        tokens.begin();
        final Awaited awaited = Awaited.none();
        final long start = System.nanoTime() + 1_000_000;
        final long count = Math.max(1, (long)(perSecond * seconds));
        for (long i = 0; i < count; i++)
        {
            final long intended = start + (long)(i * 1e9 / perSecond);
            waitUntil(intended);
            final CompletionHandle handle = send(intended);
            if (!handle.iterator().hasNext())
            {
                throw new IllegalStateException("request " + handle.requestId() + " has no token: " + handle);
            }
            final long receivedNanos = System.nanoTime();
            stamp(StageTimes.Stage.RECEIVED);
            tokens.awaitEnded(sent);
            awaited.add(intended, tokens.seenNanos(), receivedNanos);
            if (times != null)
            {
                times.end();
            }
        }
        return awaited;
    }

    private CompletionHandle send(final long intended)
    {
        final long requestId = sent + 1;
        // Hashes of blocks are chained, so no two prompts share a block.
        prompt[0] = (int)(requestId & Integer.MAX_VALUE);
        tokens.intended(requestId, intended);
        if (times != null)
        {
            times.begin(intended);
        }
        stamp(StageTimes.Stage.SUBMITTING);
        final CompletionHandle handle = engine.submit(CompletionRequest.prompt(prompt).maxNewTokens(1));
        stamp(StageTimes.Stage.SUBMITTED);
        if (handle.requestId() != requestId)
        {
            throw new IllegalStateException("request " + requestId + " has the id " + handle.requestId());
        }
        sent = requestId;
        return handle;
    }

    private void stamp(final StageTimes.Stage stage)
    {
        if (times != null)
        {
            times.stamp(stage);
        }
    }

    static void waitUntil(final long moment)
    {
        for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime())
        {
            if (left > 2 * PUNCTUAL_NANOS)
            {
                LockSupport.parkNanos(left - PUNCTUAL_NANOS);
            }
            else
            {
                Thread.yield();
            }
        }
    }
}
