// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.StepLoad;
import io.signalbox.cost.StepPart;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.state.RunListener;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Measures the steps of a run and divides them into the parts of a cost. A subclass takes each step.
 */
public abstract class StepParts implements RunListener
{
    private static final int RANK_BITS = 12;
    private static final int NONE = -1;

    private final ServedStepCost cost;
    private final StepLoad load = new StepLoad();
    private final Long2ObjectHashMap<Step> steps = new Long2ObjectHashMap<>();
    /** Time of the last results of each rank. */
    private final Int2ObjectHashMap<long[]> rankEnds = new Int2ObjectHashMap<>();
    private long nowNanos;

    /** A step whose results are there. */
    public static final class Step
    {
        private final double[] parts = new double[StepPart.values().length];
        private int entries;
        private int longestContext;
        private long plannedNanos;
        private long launchedNanos = NONE;
        private long startNanos;
        private long endNanos;
        private long computeNanos;

        /** Nanoseconds by {@link StepPart}, as the cost says. */
        public double[] parts()
        {
            return parts;
        }

        public double part(final StepPart part)
        {
            return parts[part.ordinal()];
        }

        public int entries()
        {
            return entries;
        }

        /** Tokens of the longest request, the computed ones included. */
        public int longestContext()
        {
            return longestContext;
        }

        /** From its plan, or from the results of the step before on its rank if they are later, to its results. */
        public long nanos()
        {
            return endNanos - startNanos;
        }

        /** Whether it was planned when its rank had no other step in flight. */
        public boolean isAlone()
        {
            return startNanos == plannedNanos;
        }

        /** Time of the device; 0 if the backend does not say it. */
        public long computeNanos()
        {
            return computeNanos;
        }
    }

    protected StepParts(final ServedStepCost cost)
    {
        this.cost = cost;
    }

    @Override
    public final void onGroup(final long timeNanos)
    {
        nowNanos = timeNanos;
    }

    protected final long nowNanos()
    {
        return nowNanos;
    }

    /** Called ahead of the Commit of the step. */
    protected abstract void onMeasured(int rank, Step step);

    private static long key(final int rank, final long step)
    {
        return step << RANK_BITS | rank;
    }

    @Override
    public void onStep(final StepView plan)
    {
        final Step step = new Step();
        step.entries = plan.entryCount();
        step.plannedNanos = nowNanos;
        load.clear();
        for (int entry = 0; entry < step.entries; entry++)
        {
            add(plan, entry);
            step.longestContext = Math.max(step.longestContext, plan.start(entry) + plan.tokenCount(entry));
        }
        load.asOneOf(cost.shape().dataParallel());
        cost.addParts(load, step.parts);
        steps.put(key(plan.rank(), plan.step()), step);
    }

    private void add(final StepView plan, final int entry)
    {
        final int window = cost.shape().windowTokens();
        final int count = plan.tokenCount(entry);
        final int decoded = count == 1 || plan.predecessorBack(entry) > 0 ? 1 : 0;
        if (decoded > 0)
        {
            load.addDecode(plan.start(entry) + 1L, window);
        }
        if (count > decoded)
        {
            load.addPrompt(plan.start(entry) + decoded, count - decoded, window);
        }
    }

    @Override
    public void onForward(final ForwardDecoder forward)
    {
        final Step step = steps.get(key(forward.rank(), forward.step()));
        if (step != null)
        {
            step.launchedNanos = nowNanos;
        }
    }

    @Override
    public void onCompletion(final CompletionView completion)
    {
        final Step step = steps.remove(key(completion.rank(), completion.step()));
        if (step == null || step.launchedNanos == NONE)
        {
            return;
        }
        final long[] end = rankEnds.computeIfAbsent(completion.rank(), rank -> new long[1]);
        step.startNanos = Math.max(end[0], step.plannedNanos);
        step.endNanos = nowNanos;
        step.computeNanos = completion.computeNanos();
        end[0] = nowNanos;
        onMeasured(completion.rank(), step);
    }
}
