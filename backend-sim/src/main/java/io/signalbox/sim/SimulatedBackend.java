// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.VirtualTime;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Simulated DP ranks in virtual time. A plan turns into two events: Forward when the device is free, D2hComplete after the
 * step's cost and the D2H delay. A step that was given ahead is launched when the one before it has been computed, whether
 * its results are on the host or not. The owner sets the time, asks when the next event is due, and fires it.
 *
 * <p>Ranks in lock-step end a step together: at the cost of the slowest of them, after the longest of their D2H delays.
 *
 * <p>With a fault plan, completions come late, out of order, twice, spoilt or not at all. A report that is on its way
 * arrives even if its step was aborted meanwhile: the engine ignores it.
 *
 * <p>The owner's calls and {@link #submit} may come from different threads but never at the same time; the owner
 * waits for the engine before it looks. A capture slice may be released by any thread at any time.
 */
final class SimulatedBackend implements Backend
{
    private static final int NO_RANK = -1;

    private final SimulationConfig config;
    /** Simulated durations are divided by it. */
    private final double timeScale;
    private final int depth;
    private final boolean lockStep;
    private final RowKey rowKeys;
    private final DraftAcceptance drafts;
    private final SampledTokens sampled;
    private final EventQueue events = new EventQueue(8);
    private CompletionSink completions;
    /** {@code null}: no rows are captured. */
    private SimulatedRows rows;
    private StepCharge charge;
    private CaptureSlicePool slices;
    private SimulatedRank[] ranks = new SimulatedRank[0];
    private long nowNanos;
    /** Whether an event may be that of a step that its rank has no more. */
    private boolean mayHavePastSteps;
    /** Null if nothing goes wrong. */
    private FaultInjector faults;
    /** Reports on their way, by number. */
    private final Long2ObjectHashMap<StepReport> posted = new Long2ObjectHashMap<>();
    private final List<StepReport> held = new ArrayList<>();
    private long lastPosted;
    private int weightGeneration;

    /** Content of a token of a request; it decides the token's routed experts. */
    interface RowKey
    {
        long key(long requestId, int position);

        /** The keys of so many tokens, the first of which is at {@code start}. */
        default void keys(final long requestId, final int start, final int count, final long[] keys)
        {
            for (int i = 0; i < count; i++)
            {
                keys[i] = key(requestId, start + i);
            }
        }
    }

    /** Ranks that step independently, one step at a time. */
    SimulatedBackend(final SimulationConfig config)
    {
        this(config, SchedulerConfig.builder().build(), SplitMix64::mix);
    }

    /** Draft tokens are right as the seeded model says. */
    SimulatedBackend(final SimulationConfig config, final SchedulerConfig scheduler, final RowKey rowKeys)
    {
        this(config, scheduler, rowKeys, DraftAcceptance.seeded(config.seed(), config.draftAcceptance()),
            SampledTokens.seeded(config.seed()));
    }

    /** @param scheduler says how many steps are in flight, and whether the ranks step together. */
    SimulatedBackend(
        final SimulationConfig config,
        final SchedulerConfig scheduler,
        final RowKey rowKeys,
        final DraftAcceptance drafts,
        final SampledTokens sampled)
    {
        this(config, scheduler, rowKeys, drafts, sampled, 1);
    }

    /** @param timeScale how many times as fast as their costs the ranks are. */
    SimulatedBackend(
        final SimulationConfig config,
        final SchedulerConfig scheduler,
        final RowKey rowKeys,
        final DraftAcceptance drafts,
        final SampledTokens sampled,
        final double timeScale)
    {
        this.config = config;
        this.timeScale = timeScale;
        depth = scheduler.depth();
        lockStep = scheduler.lockStep();
        this.rowKeys = rowKeys;
        this.drafts = drafts;
        this.sampled = sampled;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("simulated").capturesExperts(true).capturesCombineWeights(true)
            .depth(SchedulerConfig.MAX_DEPTH).draftTokens(SchedulerConfig.MAX_DRAFT_TOKENS).writesKvFirst(true)
            .swapsWeights(true).masksStopTokens(sampled.leavesOutStopTokens()).build();
    }

    @Override
    public void start(final int rankCount, final ModelShape shape, final CompletionSink sink)
    {
        completions = sink;
        ranks = new SimulatedRank[rankCount];
        Arrays.setAll(ranks, rank -> new SimulatedRank(rank, depth));
        if (shape != null)
        {
            rows = new SimulatedRows(rowKeys, new ExpertModel(shape, config.seed(), config.expertSkew()));
            slices = new CaptureSlicePool(shape.rowBytes());
        }
        charge = new StepCharge(config, rankCount, shape, rows);
        if (config.faults() != null)
        {
            faults = new FaultInjector(config.faults(), config.seed(), shape, sink);
            mayHavePastSteps = true;
        }
    }

    /** The step is launched when the device has computed the steps before it. */
    @Override
    public void submit(final StepView plan)
    {
        final int rank = plan.rank();
        if (plan.weightGeneration() != weightGeneration)
        {
            throw new InvariantViolation("step " + plan.step() + " of rank " + rank + " is for the weights of generation " +
                plan.weightGeneration() + ", and the ranks have those of generation " + weightGeneration);
        }
        final SimulatedStep step = ranks[rank].take(plan);
        events.add(Math.max(nowNanos, ranks[rank].busyUntilNanos), EventPhase.FORWARD, rank, step.number);
    }

    /** Tokens and rows of later steps are others. */
    @Override
    public void newWeights(final int generation, final String version)
    {
        weightGeneration = generation;
    }

    /** The step's remaining events do not happen. */
    @Override
    public void abort(final int rank, final long step)
    {
        ranks[rank].remove(step);
        mayHavePastSteps = true;
        releaseHeldIfNobodyReports();
    }

    /** Forgets every step of the rank in flight; reports on their way still arrive. */
    void restart(final int rank)
    {
        ranks[rank].removeAll();
        mayHavePastSteps = true;
        ranks[rank].busyUntilNanos = nowNanos;
        ranks[rank].completesNanos = nowNanos;
        releaseHeldIfNobodyReports();
    }

    @Override
    public void close()
    {
        // Holds no threads and no memory outside the heap.
    }

    /** Sets the virtual time, at which plans submitted from now on start. */
    void now(final long timeNanos)
    {
        nowNanos = timeNanos;
    }

    /** Time of the next event, or {@link EventQueue#NEVER}. */
    long nextNanos()
    {
        while (mayHavePastSteps && events.size() > 0 && isOfPastStep())
        {
            events.removeNext();
        }
        return events.nextNanos();
    }

    private boolean isOfPastStep()
    {
        return events.nextPhase() != EventPhase.FAULTY_REPORT &&
            ranks[events.nextIdentity()].find(events.nextSequence()) == null;
    }

    /** Whether the next event launches a step in lock-step that a rank does not have yet. */
    boolean awaitsPlans()
    {
        if (!lockStep || events.size() == 0 || events.nextPhase() != EventPhase.FORWARD)
        {
            return false;
        }
        final long number = events.nextSequence();
        final SimulatedStep next = ranks[events.nextIdentity()].find(number);
        return next != null && !next.launched && Arrays.stream(ranks).anyMatch(rank -> rank.find(number) == null);
    }

    /** Reports every step that is out as lost. */
    void loseAll(final String reason)
    {
        for (int rank = 0; rank < ranks.length; rank++)
        {
            for (final SimulatedStep step : ranks[rank].steps())
            {
                completions.fault(nowNanos, step.epoch, rank, step.number, StepFault.RANK_LOST, reason);
            }
        }
    }

    /** Whether a rank could take a further step. */
    boolean anyRankHasRoom()
    {
        for (final SimulatedRank rank : ranks)
        {
            if (rank.hasRoom())
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Reports the next event to the engine.
     *
     * @return whether the engine may plan upon it.
     */
    boolean fireNext()
    {
        final long timeNanos = nextNanos();
        final int phase = events.nextPhase();
        final int rank = events.nextIdentity();
        final long sequence = events.nextSequence();
        if (phase == EventPhase.FORWARD)
        {
            launch(timeNanos, rank, ranks[rank].find(sequence));
            return depth > 1;
        }
        events.removeNext();
        if (phase == EventPhase.FAULTY_REPORT)
        {
            final StepReport report = posted.remove(sequence);
            complete(timeNanos, rank, report.step());
            return true;
        }
        final SimulatedStep step = ranks[rank].find(sequence);
        final long late = ranks[rank].lateAheadOf(step);
        if (late >= timeNanos)
        {
            // The steps of a rank are reported in their order.
            events.add(late + 1, EventPhase.D2H_COMPLETE, rank, sequence);
            return false;
        }
        final Fault fault = faults == null ? null : faults.of(rank, step);
        if (fault != null)
        {
            return inject(timeNanos, step, rank, fault);
        }
        complete(timeNanos, rank, step);
        return true;
    }

    /** The launch is the next event. */
    private void launch(final long timeNanos, final int rank, final SimulatedStep step)
    {
        charge.at(timeNanos);
        if (!step.launched && lockStep)
        {
            join(step);
        }
        else if (!step.launched)
        {
            decide(rank, step);
            step.costNanos = scaled(charge.nanos(rank, step));
        }
        final SimulatedRank state = ranks[rank];
        final long duration = step.costNanos + step.delayNanos;
        if (VirtualTime.isPast(timeNanos, duration))
        {
            throw VirtualTime.past("step " + step.number + " of rank " + rank + " would end",
                "lower the step cost, or shorten arrivals and think times");
        }
        step.results.computed(step.costNanos);
        state.busyUntilNanos = timeNanos + step.costNanos;
        state.completesNanos = Math.max(state.completesNanos, timeNanos + duration);
        events.replaceNext(state.completesNanos, EventPhase.D2H_COMPLETE, rank, step.number);
        completions.forward(timeNanos, step.epoch, rank, step.number, timeNanos);
    }

    private void decide(final int rank, final SimulatedStep step)
    {
        ranks[rank].bind(step);
        step.decide(sampled, drafts);
        step.launched = true;
        step.delayNanos = scaled(config.d2hDelay().nanos(config.seed(), rank, step.number, step.tokens));
    }

    private long scaled(final long nanos)
    {
        return timeScale == 1 ? nanos : (long)(nanos / timeScale);
    }

    /** Ranks in lock-step compute as long as the slowest of them, and report after the longest of their delays. */
    private void join(final SimulatedStep first)
    {
        charge.begin();
        for (int rank = 0; rank < ranks.length; rank++)
        {
            joinRank(rank, ranks[rank].find(first.number));
        }
        long costNanos = 0;
        long delayNanos = 0;
        for (int rank = 0; rank < ranks.length; rank++)
        {
            final SimulatedStep step = ranks[rank].find(first.number);
            if (step != null)
            {
                costNanos = Math.max(costNanos, charge.sharesExperts() ? scaled(charge.sharedNanos(rank)) : step.costNanos);
                delayNanos = Math.max(delayNanos, step.delayNanos);
            }
        }
        for (final SimulatedRank rank : ranks)
        {
            final SimulatedStep step = rank.find(first.number);
            if (step != null)
            {
                step.costNanos = costNanos;
                step.delayNanos = delayNanos;
            }
        }
    }

    /** @param step {@code null}: the rank takes no part. */
    private void joinRank(final int rank, final SimulatedStep step)
    {
        if (step == null)
        {
            charge.skip(rank);
            return;
        }
        if (!step.launched)
        {
            decide(rank, step);
        }
        if (charge.sharesExperts())
        {
            charge.count(rank, step);
        }
        else
        {
            step.costNanos = scaled(charge.nanos(rank, step));
        }
    }

    private void complete(final long timeNanos, final int rank, final SimulatedStep step)
    {
        // The rank has room before the engine hears of it: an engine without threads plans within the call.
        ranks[rank].remove(step.number);
        releaseHeld();
        completions.d2hComplete(timeNanos, step.epoch, rank, step.number, step.results, capture(step));
    }

    /** One row per token. */
    private CaptureSlicePool.Slice capture(final SimulatedStep step)
    {
        if (rows == null)
        {
            return null;
        }
        final CaptureSlicePool.Slice slice = slices.acquire(step.tokens);
        int at = 0;
        for (int entry = 0; entry < step.entries(); entry++)
        {
            at = rows.write(step, entry, slice.rows(), at);
        }
        return slice;
    }

    private boolean inject(final long timeNanos, final SimulatedStep step, final int rank, final Fault fault)
    {
        final boolean overtakeable = fault.kind() == FaultKind.REORDERED && anotherReports(rank);
        if (fault.kind() != FaultKind.REORDERED || overtakeable)
        {
            faults.count(fault);
        }
        switch (fault.kind())
        {
            case LATE ->
            {
                if (VirtualTime.isPast(timeNanos, fault.nanos()))
                {
                    throw VirtualTime.past(
                        "step " + step.number + " of rank " + rank + " would be reported", "shorten the delay");
                }
                step.lateNanos = timeNanos + fault.nanos();
                post(step.lateNanos, new StepReport(rank, step.copy()));
                return false;
            }
            case DROPPED ->
            {
                step.silent = true;
                releaseHeldIfNobodyReports();
                return false;
            }
            case REORDERED ->
            {
                if (overtakeable)
                {
                    step.silent = true;
                    held.add(new StepReport(rank, step.copy()));
                    return false;
                }
            }
            case DUPLICATED -> post(timeNanos, new StepReport(rank, step.copy()));
            default ->
            {
                ranks[rank].remove(step.number);
                releaseHeld();
                faults.send(timeNanos, rank, step, fault, capture(step));
                return true;
            }
        }
        complete(timeNanos, rank, step);
        return true;
    }

    private void post(final long timeNanos, final StepReport report)
    {
        posted.put(++lastPosted, report);
        events.add(timeNanos, EventPhase.FAULTY_REPORT, report.rank(), lastPosted);
    }

    /** Whether a report of another rank is to come by itself. */
    private boolean anotherReports(final int rank)
    {
        for (int other = 0; other < ranks.length; other++)
        {
            if (other != rank && ranks[other].reports())
            {
                return true;
            }
        }
        return false;
    }

    private void releaseHeldIfNobodyReports()
    {
        if (!held.isEmpty() && !anotherReports(NO_RANK))
        {
            releaseHeld();
        }
    }

    /** The reports that waited for this one follow at the same instant. */
    private void releaseHeld()
    {
        for (int i = 0; i < held.size(); i++)
        {
            post(nowNanos, held.get(i));
        }
        held.clear();
    }

    /** Faults that were injected so far; null if there is no plan. */
    FaultInjector faults()
    {
        return faults;
    }
}
