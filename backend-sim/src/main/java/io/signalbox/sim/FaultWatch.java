// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.StepsInFlight;
import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
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
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Follows the groups of a run with faults: which steps are in flight since when, and which ranks are lost. From that it
 * makes the inputs that a threaded engine would make: {@code StepTimedOut}, the {@code BackendReset} of a rank that comes
 * back, and the {@code BackendFault} that gives up a rank that does not. It counts what the faults led to. The driver asks
 * while the engine is quiet.
 */
final class FaultWatch implements RunListener
{
    static final int NO_RANK = -1;
    private static final long NO_STEP = -1;

    private final FaultPlan plan;
    private final SchedulerConfig config;
    private final long runSeed;
    private final StepsInFlight steps;
    private final RankWatch[] ranks;
    private long nowNanos;
    /** The step that the group's input reports, until an output answers it. */
    private long reportedStep = NO_STEP;
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
        steps = new StepsInFlight(config.ranks(), config.depth(), plan.stepTimeoutNanos(), () -> nowNanos);
        ranks = new RankWatch[config.ranks()];
        Arrays.setAll(ranks, rank -> new RankWatch());
    }

    @Override
    public void onGroup(final long timeNanos)
    {
        nowNanos = timeNanos;
        reportedStep = NO_STEP;
    }

    @Override
    public void onStep(final StepView step)
    {
        steps.launched(step);
    }

    @Override
    public void onGroupEnd()
    {
        ignoredReports += reportedStep == NO_STEP ? 0 : 1;
    }

    @Override
    public void onCompletion(final CompletionView completion)
    {
        reportedStep = completion.step();
    }

    @Override
    public void onFault(final BackendFaultDecoder fault)
    {
        reportedStep = fault.step();
    }

    @Override
    public void onTimedOut(final StepTimedOutDecoder timeout)
    {
        reportedStep = timeout.step();
    }

    @Override
    public void onLanded(final RunStep step, final CommitView commit)
    {
        steps.ended(commit.rank(), commit.step());
        reportedStep = NO_STEP;
    }

    @Override
    public void onWithdrawn(final RunStep step, final WithdrawnDecoder withdrawn)
    {
        steps.ended(withdrawn.rank(), withdrawn.step());
        final WithdrawalCause cause = withdrawn.cause();
        if (cause == WithdrawalCause.RESET || reportedStep == NO_STEP)
        {
            withdrawnSteps++;
            return;
        }
        timedOutSteps += cause == WithdrawalCause.TIMED_OUT ? 1 : 0;
        failedSteps += cause == WithdrawalCause.TIMED_OUT ? 0 : 1;
        if (cause != WithdrawalCause.STEP_FAILED)
        {
            lose(withdrawn.rank(), withdrawn.epoch(), reportedStep);
        }
        // Of the steps that one report withdraws, the first is the one that failed.
        reportedStep = NO_STEP;
    }

    private void lose(final int rank, final int lostEpoch, final long step)
    {
        final long after = plan.backAfterNanos(plan.of(runSeed, rank, step, config.capture()));
        ranks[rank].lost(nowNanos, lostEpoch, after);
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        resets++;
        epoch = reset.newEpoch();
        ranks[reset.rank()].reset(nowNanos);
    }

    @Override
    public void onRequeued(final RunRequest started, final RequeuedDecoder request)
    {
        requeued += request.reason() == RequeueReason.STEP_WITHDRAWN ? 1 : 0;
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        failedRequests += end.reason() == FreeReason.FAILED ? 1 : 0;
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder refusal)
    {
        refusedRequests += refusal.reason() == RefusalReason.NO_RANK_LEFT ? 1 : 0;
    }

    /** When the next step times out, or the next rank comes back or is given up; {@link EventQueue#NEVER}: none will. */
    long nextNanos()
    {
        long next = steps.nextOverdueNanos();
        for (final RankWatch rank : ranks)
        {
            next = Math.min(next, rank.dueNanos());
        }
        return next;
    }

    /**
     * Encodes the input that is due: the timeout of the first rank whose step is overdue, else the reset or the end of the
     * first lost rank whose time has come.
     *
     * @return the rank that is reset, or {@link #NO_RANK}.
     */
    int writeDue(final InputWriter inputs, final long timeNanos)
    {
        for (int rank = 0; rank < ranks.length; rank++)
        {
            if (steps.takeOverdue(rank, timeNanos, inputs))
            {
                return NO_RANK;
            }
        }
        int due = 0;
        while (ranks[due].dueNanos() > timeNanos)
        {
            due++;
        }
        if (ranks[due].returns())
        {
            inputs.backendReset().timeNanos(timeNanos).newEpoch(epoch + 1).rank(due)
                .kvMemoryKept(plan.kvMemoryKept() ? Flag.YES : Flag.NO);
            return due;
        }
        inputs.backendFault().timeNanos(timeNanos).step(0).epoch(ranks[due].lostEpoch).rank(due)
            .faultClass(FaultClass.RANK_GIVEN_UP).detail("the fault plan does not bring it back");
        ranks[due].givenUp = true;
        return NO_RANK;
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

    /** The times for which one rank was lost. */
    private static final class RankWatch
    {
        private boolean lost;
        private int lostEpoch;
        private boolean givenUp;
        private long lostNanos;
        private long backAfterNanos;
        private long downNanos;
        private long losses;

        private void lost(final long timeNanos, final int epoch, final long backAfter)
        {
            lost = true;
            givenUp = false;
            losses++;
            lostNanos = timeNanos;
            lostEpoch = epoch;
            backAfterNanos = backAfter;
        }

        private boolean returns()
        {
            return backAfterNanos != FaultPlan.NEVER;
        }

        /** When the rank comes back or is given up; {@link EventQueue#NEVER} if neither will happen. */
        private long dueNanos()
        {
            return !lost || givenUp ? EventQueue.NEVER : returns() ? lostNanos + backAfterNanos : lostNanos;
        }

        private void reset(final long timeNanos)
        {
            downNanos = downNanos(timeNanos);
            lost = false;
        }

        private long downNanos(final long timeNanos)
        {
            return downNanos + (lost ? timeNanos - lostNanos : 0);
        }
    }
}
