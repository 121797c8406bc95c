// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.cost.ExpertCounts;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.StepLoad;
import io.signalbox.experts.ModelShape;
import io.signalbox.workload.SplitMix64;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

/** What steps cost: by the linear cost, or by that of a served deployment, whose ranks may share experts. */
final class StepCharge
{
    private final StepCost linear;
    /** {@code null}: the linear cost counts. */
    private final ServedStepCost served;
    /** {@code null}: steps take as long as the linear cost says. */
    private final StepResiduals residuals;
    private final long seed;
    private long nowNanos;
    private final StepWork work = new StepWork();
    private final StepLoad[] loads;
    /** {@code null}: the experts of tokens are unknown, or their shape is not that of the deployment. */
    private final ExpertCounts counts;
    private final SimulatedRows rows;
    private UnsafeBuffer written = new UnsafeBuffer(new byte[1 << 12]);

    /** @param rows {@code null}: none is captured. */
    StepCharge(final SimulationConfig config, final int ranks, final ModelShape shape, final SimulatedRows rows)
    {
        linear = config.stepCost();
        served = config.servedCost();
        residuals = config.residuals();
        seed = config.seed();
        this.rows = rows;
        loads = new StepLoad[ranks];
        Arrays.setAll(loads, rank -> new StepLoad());
        final boolean isCounted =
            served != null && shape != null && served.countsExperts(shape.moeLayers(), shape.experts(), shape.topK());
        counts = isCounted ? new ExpertCounts(shape.moeLayers(), shape.experts(), shape.topK(), shape.idBytes()) : null;
    }

    /** Sets the time at which the next steps begin. */
    void at(final long timeNanos)
    {
        nowNanos = timeNanos;
    }

    /** Whether the cost of a step depends on the steps of other ranks. */
    boolean sharesExperts()
    {
        return served != null && served.shape().dataParallel() > 1;
    }

    /** Cost of a step that shares no experts. */
    long nanos(final int rank, final SimulatedStep step)
    {
        if (served == null)
        {
            work.count(step);
            final long nanos = linear.nanos(work.prefillTokens(), work.decodeEntries(), work.contextTokens());
            return residuals == null ? nanos :
                residuals.nanos(nanos, work.prefillTokens() > 0, nowNanos,
                    SplitMix64.mix(SplitMix64.mix(seed, rank), step.number));
        }
        begin();
        count(rank, step);
        return served.nanos(loads[rank], counts);
    }

    /** Begins a step of ranks that share experts. */
    void begin()
    {
        if (counts != null)
        {
            counts.clear();
        }
    }

    /** Counts a rank's part of the step. */
    void count(final int rank, final SimulatedStep step)
    {
        final StepLoad load = loads[rank];
        final int window = served.shape().windowTokens();
        load.clear();
        for (int entry = 0; entry < step.entries(); entry++)
        {
            final int count = step.count(entry);
            final boolean isDecode = count == 1 || step.back(entry) > 0;
            if (isDecode)
            {
                load.addDecode(step.start(entry) + 1L, window);
            }
            final int promptTokens = isDecode ? count - 1 : count;
            if (promptTokens > 0)
            {
                load.addPrompt(step.start(entry) + (isDecode ? 1 : 0), promptTokens, window);
            }
            if (counts != null)
            {
                countExperts(step, entry, isDecode);
            }
        }
    }

    private void countExperts(final SimulatedStep step, final int entry, final boolean isDecode)
    {
        final int bytes = step.count(entry) * rows.rowBytes();
        if (written.capacity() < bytes)
        {
            written = new UnsafeBuffer(new byte[Math.max(bytes, 2 * written.capacity())]);
        }
        rows.write(step, entry, written, 0);
        for (int row = 0; row < step.count(entry); row++)
        {
            counts.add(written, row * rows.rowBytes(), !isDecode || row > 0);
        }
    }

    /** Cost of a rank's part, once every rank is counted. */
    long sharedNanos(final int rank)
    {
        final StepLoad load = loads[rank];
        for (int other = 0; other < loads.length; other++)
        {
            if (other != rank)
            {
                load.addGroup(loads[other]);
            }
        }
        return served.nanos(load, counts);
    }

    /** A rank that takes no part in the step. */
    void skip(final int rank)
    {
        loads[rank].clear();
    }
}
