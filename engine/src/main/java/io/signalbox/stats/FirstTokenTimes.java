// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.event.StepView;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Divides the time to first token of each request into parts whose sum is exact: a request moves on with the events of the
 * steps that compute its prompt. Events are given in the order of the run. Internal to the modules that read recorded runs.
 */
public final class FirstTokenTimes
{
    private static final int RANK_BITS = 12;
    private static final long NONE = -1;

    private final Long2ObjectHashMap<Waiting> waiting = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Step> steps = new Long2ObjectHashMap<>();

    /** Parts in the order of time. */
    public enum Part
    {
        /** From Submit to the plan of the first step with the request. */
        QUEUE,
        /** Between the steps of the request: until the next one is planned. */
        SCHEDULE,
        /** From the plan of a step to its launch. */
        HOST,
        /** From the launch of a step to the end of its computation; to its results if the backend does not report that. */
        DEVICE,
        /** From the end of the computation to the results on the host. */
        DELIVERY;

        public static final int COUNT = values().length;
    }

    /** A request without a token. */
    private static final class Waiting
    {
        private final long[] parts = new long[Part.COUNT];
        private long reachedNanos;
        private int stepsInFlight;
        private boolean begun;

        private Waiting(final long submitNanos)
        {
            reachedNanos = submitNanos;
        }

        private void reach(final Part part, final long nanos)
        {
            if (nanos > reachedNanos)
            {
                parts[part.ordinal()] += nanos - reachedNanos;
                reachedNanos = nanos;
            }
        }
    }

    /** A step in flight with requests that wait. */
    private static final class Step
    {
        private final List<Waiting> waiting = new ArrayList<>();
        private long launchedNanos = NONE;
    }

    private static long key(final int rank, final long step)
    {
        return step << RANK_BITS | rank;
    }

    public void onAccepted(final long requestId, final long nowNanos)
    {
        waiting.put(requestId, new Waiting(nowNanos));
    }

    public void onSchedule(final StepView plan, final long nowNanos)
    {
        if (waiting.isEmpty())
        {
            return;
        }
        Step step = null;
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final Waiting request = waiting.get(plan.requestId(entry));
            if (request != null)
            {
                step = step == null ? new Step() : step;
                step.waiting.add(request);
                if (request.stepsInFlight++ == 0)
                {
                    request.reach(request.begun ? Part.SCHEDULE : Part.QUEUE, nowNanos);
                }
                request.begun = true;
            }
        }
        if (step != null)
        {
            steps.put(key(plan.rank(), plan.step()), step);
        }
    }

    public void onForward(final int rank, final long step, final long nowNanos)
    {
        final Step launched = steps.isEmpty() ? null : steps.get(key(rank, step));
        if (launched != null)
        {
            launched.launchedNanos = nowNanos;
        }
    }

    /** @param computeNanos time of the device; 0 if the backend does not report it. */
    public void onCompletion(final int rank, final long step, final long nowNanos, final long computeNanos)
    {
        final Step completed = steps.isEmpty() ? null : steps.remove(key(rank, step));
        if (completed == null)
        {
            return;
        }
        final boolean isReported = computeNanos > 0 && completed.launchedNanos != NONE;
        final long computed = isReported ? Math.min(nowNanos, completed.launchedNanos + computeNanos) : nowNanos;
        for (final Waiting request : completed.waiting)
        {
            request.stepsInFlight--;
            request.reach(Part.HOST, completed.launchedNanos);
            request.reach(Part.DEVICE, computed);
            request.reach(Part.DELIVERY, nowNanos);
        }
    }

    /** A step that is never committed. */
    public void onWithdrawn(final int rank, final long step)
    {
        final Step withdrawn = steps.remove(key(rank, step));
        if (withdrawn != null)
        {
            withdrawn.waiting.forEach(request -> request.stepsInFlight--);
        }
    }

    /**
     * The request has its first token.
     *
     * @return nanoseconds by {@link Part}, whose sum is the time since its Submit; {@code null} if the Submit is not known.
     */
    public long[] onFirstToken(final long requestId, final long nowNanos)
    {
        final Waiting request = waiting.remove(requestId);
        if (request == null)
        {
            return null;
        }
        request.reach(Part.DELIVERY, nowNanos);
        return Arrays.copyOf(request.parts, request.parts.length);
    }

    /** The request has ended. */
    public void onEnd(final long requestId)
    {
        waiting.remove(requestId);
    }
}
