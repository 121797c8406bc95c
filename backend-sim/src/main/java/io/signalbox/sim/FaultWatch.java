// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Follows the groups of a run with faults: which steps are in flight since when, and which ranks are lost. From that it
 * makes the inputs that an engine's timer and the operator of a real backend would make, {@code StepTimedOut} and
 * {@code BackendReset}, and counts what the faults led to. The driver asks while the engine is quiet.
 */
final class FaultWatch extends EventReader implements GroupListener
{
    private final FaultPlan plan;
    private final SchedulerConfig config;
    private final long runSeed;
    private final RankWatch[] ranks;
    private long nowNanos;
    private int epoch;
    private long failedSteps;
    private long timedOutSteps;
    private long withdrawnSteps;
    private long ignoredReports;
    private long resets;
    private long requeued;
    private long failedRequests;
    private long refusedRequests;

    FaultWatch(final FaultPlan plan, final SchedulerConfig config, final long runSeed)
    {
        this.plan = plan;
        this.config = config;
        this.runSeed = runSeed;
        ranks = new RankWatch[config.ranks()];
        Arrays.setAll(ranks, rank -> new RankWatch());
    }

    @Override
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        nowNanos = Math.max(nowNanos, GroupReader.inputTimeNanos(group, offset, length));
        readGroup(group, offset, length);
    }

    @Override
    protected void onSchedule(final StepView step)
    {
        ranks[step.rank()].launched(step, nowNanos);
    }

    @Override
    protected void onD2hComplete(final CompletionView completion)
    {
        land(completion.rank(), completion.epoch(), completion.step());
    }

    @Override
    protected void onBackendFault(final BackendFaultDecoder fault)
    {
        if (land(fault.rank(), fault.epoch(), fault.step()))
        {
            failedSteps++;
            if (fault.faultClass() == FaultClass.RANK_LOST)
            {
                lose(fault.rank(), fault.step());
            }
        }
    }

    @Override
    protected void onStepTimedOut(final StepTimedOutDecoder timeout)
    {
        if (land(timeout.rank(), timeout.epoch(), timeout.step()))
        {
            timedOutSteps++;
            lose(timeout.rank(), timeout.step());
        }
    }

    private boolean land(final int rank, final int stepEpoch, final long step)
    {
        final boolean inFlight = ranks[rank].land(stepEpoch, step);
        ignoredReports += inFlight ? 0 : 1;
        return inFlight;
    }

    private void lose(final int rank, final long step)
    {
        final long after = plan.backAfterNanos(plan.of(runSeed, rank, step, config.capture()));
        ranks[rank].lost(nowNanos, after == FaultPlan.NEVER ? EventQueue.NEVER : nowNanos + after);
    }

    @Override
    protected void onBackendReset(final BackendResetDecoder reset)
    {
        resets++;
        epoch = reset.newEpoch();
        for (final RankWatch rank : ranks)
        {
            withdrawnSteps += rank.reset(nowNanos) ? 1 : 0;
        }
    }

    @Override
    protected void onRequeued(final RequeuedDecoder request)
    {
        requeued++;
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        failedRequests += end.reason() == FreeReason.FAILED ? 1 : 0;
    }

    @Override
    protected void onRefused(final RefusedDecoder refusal)
    {
        refusedRequests += refusal.reason() == RefusalReason.NO_RANK_LEFT ? 1 : 0;
    }

    /** When the next step times out or the next rank comes back; {@link EventQueue#NEVER} if neither will. */
    long nextNanos()
    {
        long next = EventQueue.NEVER;
        for (final RankWatch rank : ranks)
        {
            next = Math.min(next, rank.nextNanos(plan.stepTimeoutNanos()));
        }
        return next;
    }

    /**
     * Encodes the input that is due: the timeout of the first rank whose step is overdue, else the reset of the backend.
     *
     * @return whether it is the reset.
     */
    boolean writeDue(final InputWriter inputs, final long timeNanos)
    {
        for (int rank = 0; rank < ranks.length; rank++)
        {
            if (ranks[rank].isOverdue(timeNanos, plan.stepTimeoutNanos()))
            {
                inputs.stepTimedOut().timeNanos(timeNanos).step(ranks[rank].step).epoch(ranks[rank].epoch).rank(rank);
                return false;
            }
        }
        inputs.backendReset().timeNanos(timeNanos).newEpoch(epoch + 1)
            .kvMemoryKept(plan.kvMemoryKept() ? Flag.YES : Flag.NO);
        return true;
    }

    /** The faults of the run up to now. */
    RunReport.Faults report(final FaultInjector injector)
    {
        final List<RunReport.RankDowntime> downtimes = new ArrayList<>();
        for (int rank = 0; rank < ranks.length; rank++)
        {
            if (ranks[rank].losses > 0)
            {
                downtimes.add(new RunReport.RankDowntime(rank, ranks[rank].losses, ranks[rank].downNanos(nowNanos)));
            }
        }
        return new RunReport.Faults(injector.injected(), injector.notReached(), failedSteps, timedOutSteps, withdrawnSteps,
            ignoredReports, resets, requeued, failedRequests, refusedRequests, List.copyOf(downtimes));
    }

    /** One rank: its step in flight, or since when it is lost. */
    private static final class RankWatch
    {
        private static final long NONE = -1;

        private long step = NONE;
        private int epoch;
        private long sinceNanos;
        private boolean lost;
        private long lostNanos;
        private long backNanos;
        private long downNanos;
        private long losses;

        private void launched(final StepView plan, final long timeNanos)
        {
            step = plan.step();
            epoch = plan.epoch();
            sinceNanos = timeNanos;
        }

        private boolean land(final int stepEpoch, final long landed)
        {
            final boolean inFlight = step == landed && epoch == stepEpoch;
            step = inFlight ? NONE : step;
            return inFlight;
        }

        private void lost(final long timeNanos, final long back)
        {
            lost = true;
            losses++;
            lostNanos = timeNanos;
            backNanos = back;
        }

        /** Returns whether a step was in flight. */
        private boolean reset(final long timeNanos)
        {
            final boolean inFlight = step != NONE;
            step = NONE;
            downNanos = downNanos(timeNanos);
            lost = false;
            return inFlight;
        }

        private long downNanos(final long timeNanos)
        {
            return downNanos + (lost ? timeNanos - lostNanos : 0);
        }

        private boolean isOverdue(final long timeNanos, final long timeoutNanos)
        {
            return step != NONE && timeNanos - sinceNanos >= timeoutNanos;
        }

        private long nextNanos(final long timeoutNanos)
        {
            return lost ? backNanos : step == NONE ? EventQueue.NEVER : sinceNanos + timeoutNanos;
        }
    }
}
