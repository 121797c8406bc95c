// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.cost.NonNegativeLeastSquares;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.StepCost;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;

/**
 * Fits the costs of a step to the steps of a recorded run: least squares of the time for which the device computed, over
 * the numbers by which {@link StepCost} counts. If the backend does not say that time, it is that from
 * launch to results. Costs are never negative: a term that would be is left out.
 */
final class StepTimeFit extends EventReader
{
    private static final int TERMS = 4;
    private static final double PICOS_PER_NANO = 1000.0;
    /** Steps that are kept to state the error; of longer runs every second one is dropped, in turn. */
    private static final int MOST_SAMPLES = 1 << 16;

    private final double[][] products = new double[TERMS][TERMS];
    private final double[] sums = new double[TERMS];
    private final List<Sample> samples = new ArrayList<>();
    private long steps;
    private long stride = 1;
    private final Long2ObjectHashMap<Launch> launched = new Long2ObjectHashMap<>();
    private Launch completed;
    private double delayNanos;
    private long delays;

    /** A step that is under way. */
    private static final class Launch
    {
        private long timeNanos;
        private long endNanos;
        private long computeNanos;
        private final double[] work = {1, 0, 0, 0};
    }

    /** A step that was measured. */
    private record Sample(double[] work, double nanos)
    {
    }

    /** The fitted costs and their errors. */
    record Fit(StepCost cost, D2hDelay delay, long steps, double meanErrorPercent, double worstErrorPercent)
    {
    }

    void onGroup(final DirectBuffer group, final int length)
    {
        completed = null;
        readGroup(group, 0, length);
    }

    private static long key(final int rank, final long step)
    {
        return step * (1 << 10) + rank;
    }

    @Override
    protected void onForward(final ForwardDecoder forward)
    {
        final Launch launch = launched.get(key(forward.rank(), forward.step()));
        if (launch != null)
        {
            launch.timeNanos = forward.timeNanos();
        }
    }

    @Override
    protected void onD2hComplete(final CompletionView completion)
    {
        completed = launched.remove(key(completion.rank(), completion.step()));
        if (completed != null)
        {
            completed.endNanos = completion.timeNanos();
            completed.computeNanos = completion.computeNanos();
        }
    }

    @Override
    protected void onCommit(final CommitView step)
    {
        if (completed == null || completed.timeNanos == 0)
        {
            return;
        }
        final long elapsed = completed.endNanos - completed.timeNanos;
        final double nanos = completed.computeNanos > 0 ? completed.computeNanos : elapsed;
        if (nanos > 0 && step.entryCount() > 0)
        {
            add(new Sample(completed.work, nanos));
            delayNanos += Math.max(0, elapsed - nanos);
            delays++;
        }
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        final Launch launch = new Launch();
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final int count = plan.tokenCount(entry);
            final boolean decodes = count == 1 || plan.predecessorBack(entry) > 0;
            launch.work[1] += decodes ? count - 1 : count;
            launch.work[2] += decodes ? 1 : 0;
            launch.work[3] += decodes ? plan.start(entry) + count : 0;
        }
        launched.put(key(plan.rank(), plan.step()), launch);
    }

    private void add(final Sample sample)
    {
        if (steps++ % stride == 0)
        {
            samples.add(sample);
            if (samples.size() == MOST_SAMPLES)
            {
                thin();
            }
        }
        for (int i = 0; i < TERMS; i++)
        {
            sums[i] += sample.work[i] * sample.nanos;
            for (int j = 0; j < TERMS; j++)
            {
                products[i][j] += sample.work[i] * sample.work[j];
            }
        }
    }

    private void thin()
    {
        for (int i = 0; i < MOST_SAMPLES / 2; i++)
        {
            samples.set(i, samples.get(2 * i));
        }
        samples.subList(MOST_SAMPLES / 2, MOST_SAMPLES).clear();
        stride *= 2;
    }

    /** The costs; {@code null} if no step was measured. */
    Fit fit()
    {
        if (samples.isEmpty())
        {
            return null;
        }
        final double[] terms = NonNegativeLeastSquares.solve(products, sums);
        final StepCost cost = new StepCost(Math.max(1, Math.round(terms[0])), Math.round(terms[1]), Math.round(terms[2]),
            Math.round(terms[3] * PICOS_PER_NANO));
        double error = 0.0;
        double worst = 0.0;
        for (final Sample sample : samples)
        {
            final double modelled = cost.nanos((long)sample.work[1], (long)sample.work[2], (long)sample.work[3]);
            final double relative = Math.abs(modelled - sample.nanos) / sample.nanos;
            error += relative;
            worst = Math.max(worst, relative);
        }
        return new Fit(cost, new D2hDelay(delays == 0 ? 0 : Math.round(delayNanos / delays), 0, 0), steps,
            100.0 * error / samples.size(), 100.0 * worst);
    }
}
