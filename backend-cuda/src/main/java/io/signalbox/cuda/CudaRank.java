// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.cuda.capture.CaptureRing;
import io.signalbox.cuda.capture.CaptureSlot;
import io.signalbox.cuda.capture.ResultListener;
import io.signalbox.cuda.capture.StepBlock;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.kernel.ResultSlot;
import io.signalbox.event.StepView;
import io.signalbox.serving.WeightSets.StepWeights;

import java.util.function.LongSupplier;

/**
 * One DP rank: launches the steps that it is given and reports what comes back, both by {@link #doWork} on one thread, to
 * which the device's context is current. A step allocates nothing.
 *
 * <p>A result that does not pass its checks fails its step; the rank continues. After an error of CUDA it is unknown what
 * the rank's streams still do, so the rank is lost: its steps fail, and every later one at once.
 */
final class CudaRank implements ResultListener, AutoCloseable
{
    private final int rank;
    private final RankDevice device;
    private final CaptureRing ring;
    private final PlanQueue plans;
    private final UnreportedSteps launched;
    private final FormerSteps former;
    private final EntryEnds ends;
    private final FaultScope faults;
    private final CompletionSink completions;
    private final LongSupplier clock;
    private final StepTokens results = new StepTokens();
    /** No step up to this one is wanted any more; those that wait to be launched never will be. */
    private volatile long abortedUpTo;
    private String lossCause;
    private boolean unwanted;
    private String stuckBecause;

    CudaRank(
        final int rank,
        final RankDevice device,
        final CudaBackendConfig config,
        final FaultScope faults,
        final CompletionSink completions)
    {
        this.rank = rank;
        this.device = device;
        ring = device.ring();
        this.faults = faults;
        this.completions = completions;
        clock = config.clock();
        plans = new PlanQueue(config.stepsInFlight(), config.maxStepTokens(), config.limits());
        former = new FormerSteps(config.stepsInFlight(), config.maxStepTokens());
        ends = new EntryEnds(config.stepsInFlight(), config.maxStepTokens());
        launched = new UnreportedSteps(config.stepsInFlight());
    }

    /** Any one thread at a time. */
    void submit(final StepView plan, final StepWeights<WeightSlot> weights)
    {
        plans.add(plan, weights);
    }

    /**
     * The step is not wanted any more. If it still waits, it never runs; so do the plans before it, since steps are launched
     * in their order and withdrawn with all later ones.
     */
    void abort(final long step)
    {
        abortedUpTo = step;
    }

    /** A rank whose thread gets no context is lost before its first step. */
    void onStart()
    {
        try
        {
            device.makeCurrent();
        }
        catch (final CudaException e)
        {
            lose(e);
        }
    }

    /** Launches and reports what it can now; the number of steps that were launched or answered. */
    int doWork()
    {
        if (unwanted)
        {
            return 0;
        }
        try
        {
            return lossCause == null ? runSteps() : failSteps();
        }
        catch (final IllegalStateException e)
        {
            // The engine takes no more inputs; what the device still does is waited for when the ring is closed.
            unwanted = true;
            return 0;
        }
    }

    private int runSteps()
    {
        lossCause = faults.lossOfAll();
        if (lossCause != null)
        {
            return failSteps();
        }
        try
        {
            return ring.poll(this) + launchNext();
        }
        catch (final RuntimeException | Error e)
        {
            lose(e);
            return failSteps();
        }
    }

    private int launchNext()
    {
        final DeviceStepPlan plan = plans.peek();
        if (plan == null)
        {
            return 0;
        }
        if (plan.step() <= abortedUpTo)
        {
            plans.giveBack(plans.take());
            return 1;
        }
        if (plan.weights().fault() != null)
        {
            return refuseNext(plan, StepFault.RANK_LOST, plan.weights().fault());
        }
        final String refusal = plan.feed() == null ? null : plan.feed().connect(plan, former);
        if (refusal != null)
        {
            return refuseNext(plan, StepFault.STEP_FAILED, refusal);
        }
        final CaptureSlot slot = ring.tryOpen(plan.step());
        if (slot == null)
        {
            return 0;
        }
        write(plan, slot);
        device.launch(slot, plan.weights().weights().index());
        // Before anything is reported: if reporting fails, a step in both places would be answered twice.
        launched.add(plans.take());
        final long now = clock.getAsLong();
        completions.forward(now, plan.epoch(), rank, slot.step(), now);
        return 1;
    }

    private int refuseNext(final DeviceStepPlan plan, final StepFault fault, final String refusal)
    {
        completions.fault(clock.getAsLong(), plan.epoch(), rank, plan.step(), fault, refusal);
        plans.giveBack(plans.take());
        return 1;
    }

    private void write(final DeviceStepPlan plan, final CaptureSlot slot)
    {
        final StepBlock block = slot.stepBlock();
        block.begin(plan.epoch(), plan.tokens(), plan.sampled());
        for (int token = 0; token < plan.tokens(); token++)
        {
            block.token(token, plan.requestId(token), plan.position(token));
        }
        for (int place = 0; place < plan.sampled(); place++)
        {
            block.entry(place, plan.lastToken(place));
        }
        if (plan.feed() != null)
        {
            plan.feed().write(block, plan);
            former.keep(plan, slot.index());
        }
    }

    @Override
    public void completed(
        final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice rows)
    {
        final DeviceStepPlan plan = launched.remove();
        results.begin(plan.epoch(), rank, plan.step());
        final boolean late = plan.feed() != null && plan.feed().bindsLate();
        if (late)
        {
            ends.begin(plan.step());
        }
        for (int entry = 0; entry < plan.entries(); entry++)
        {
            final int start = late ? plan.feed().start(plan, entry, ends) : plan.start(entry);
            results.entry(start);
            final int accepted = accept(plan, entry, sampledTokens, slot);
            if (late)
            {
                ends.add(entry, start + plan.feed().count(entry) - plan.places(entry) + accepted);
            }
        }
        plans.giveBack(plan);
        completions.d2hComplete(clock.getAsLong(), slot.stepBlock().epoch(), rank, slot.step(), results, rows);
    }

    /** The tokens of an entry that the device has not rejected; their number. */
    private int accept(
        final DeviceStepPlan plan, final int entry, final int[] sampledTokens, final CaptureSlot slot)
    {
        final int places = plan.places(entry);
        int accepted = 0;
        for (; accepted < places && sampledTokens[plan.samples(entry) + accepted] != ResultSlot.REJECTED; accepted++)
        {
            final int place = plan.samples(entry) + accepted;
            results.accept(sampledTokens[place], logprob(plan, entry, place, slot));
        }
        return accepted;
    }

    private static float logprob(final DeviceStepPlan plan, final int entry, final int place, final CaptureSlot slot)
    {
        return plan.feed() != null && plan.feed().wantsLogprob(entry) ? slot.logprob(place) : StepTokens.NO_LOGPROB;
    }

    @Override
    public void failed(final CaptureSlot slot, final String fault)
    {
        plans.giveBack(launched.remove());
        completions.fault(
            clock.getAsLong(), slot.stepBlock().epoch(), rank, slot.step(), StepFault.STEP_FAILED, fault);
    }

    private void lose(final Throwable cause)
    {
        final boolean hasSentence = cause instanceof CudaException || cause instanceof InvariantViolation;
        lossCause = hasSentence ? cause.getMessage() : cause.toString();
        faults.lost(rank, lossCause);
    }

    /** Every step of a lost rank is answered, once: those that were launched, then those that wait. */
    private int failSteps()
    {
        int count = 0;
        for (; launched.count() > 0; count++)
        {
            failStep(launched.remove());
        }
        for (; plans.peek() != null; count++)
        {
            failStep(plans.take());
        }
        return count;
    }

    private void failStep(final DeviceStepPlan plan)
    {
        final int epoch = plan.epoch();
        final long step = plan.step();
        plans.giveBack(plan);
        completions.fault(clock.getAsLong(), epoch, rank, step, StepFault.RANK_LOST, lossCause);
    }

    /** Whether a step was launched and not yet reported. */
    boolean hasStepsInFlight()
    {
        return !unwanted && launched.count() > 0;
    }

    /** Whether a plan waits to be launched. */
    boolean hasPlans()
    {
        return plans.peek() != null;
    }

    /** For the thread that closes: the rank's device is not to be touched any more. */
    void giveUp(final String because)
    {
        stuckBecause = because;
    }

    /** After {@link #doWork} failed to report: the rank is lost, and reports what is left. */
    void crashed(final Throwable cause)
    {
        if (lossCause == null)
        {
            lose(cause);
        }
    }

    int rank()
    {
        return rank;
    }

    /** Why the rank was given up, one clause; null if it was not. */
    String stuckBecause()
    {
        return stuckBecause;
    }

    /** After the rank's thread has ended. */
    @Override
    public void close()
    {
        device.close();
    }
}
