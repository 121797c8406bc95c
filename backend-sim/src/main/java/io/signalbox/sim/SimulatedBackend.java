// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.workload.VirtualTime;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Simulated DP ranks in virtual time. A plan turns into two events: Forward at the instant of the plan, D2hComplete
 * after the step's cost and the D2H delay. The owner sets the time, asks when the next event is due, and fires it.
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
    private static final long NO_STEP = -1;
    private static final int NO_RANK = -1;

    private final SimulationConfig config;
    private final boolean lockStep;
    private final StepReader steps;
    private final EventQueue events = new EventQueue(64);
    private CompletionSink completions;
    private ExpertModel experts;
    private CaptureSlicePool slices;
    private RankState[] ranks = new RankState[0];
    private int idleRanks;
    private long nowNanos;
    /** Null if nothing goes wrong. */
    private FaultInjector faults;
    /** Reports on their way, by number. */
    private final Long2ObjectHashMap<StepReport> posted = new Long2ObjectHashMap<>();
    private final List<StepReport> held = new ArrayList<>();
    private long lastPosted;
    /** The step that was launched last on ranks in lock-step, and how long each of its two parts takes. */
    private long jointStep = NO_STEP;
    private long jointCostNanos;
    private long jointDelayNanos;

    public SimulatedBackend(final SimulationConfig config)
    {
        this(config, false);
    }

    /** @param lockStep whether the ranks step together; the plans of one step arrive at one instant, before it is fired. */
    public SimulatedBackend(final SimulationConfig config, final boolean lockStep)
    {
        this.config = config;
        this.lockStep = lockStep;
        steps = new StepReader(config.seed());
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return new BackendCapabilities("simulated", true, false);
    }

    @Override
    public void start(final int rankCount, final ModelShape shape, final CompletionSink sink)
    {
        completions = sink;
        ranks = new RankState[rankCount];
        Arrays.setAll(ranks, rank -> new RankState());
        idleRanks = rankCount;
        if (shape != null)
        {
            experts = new ExpertModel(shape, config.seed(), config.expertSkew());
            slices = new CaptureSlicePool(shape.rowBytes());
        }
        if (config.faults() != null)
        {
            faults = new FaultInjector(config.faults(), config.seed(), shape, sink);
        }
    }

    @Override
    public void submit(final StepView plan)
    {
        final int rank = plan.rank();
        final RankState state = ranks[rank];
        if (faults != null)
        {
            // The engine believed a report that named this rank wrongly: the step that is out is over for it.
            land(rank, state.step);
        }
        if (state.step != NO_STEP)
        {
            throw new InvariantViolation("rank " + rank + " was given step " + plan.step() + " while step " + state.step +
                " is out; the planner holds one credit per rank");
        }
        idleRanks--;
        state.step = plan.step();
        state.epoch = plan.epoch();
        state.silent = false;
        final int[] reuse = state.other;
        state.other = state.sampled;
        state.sampled = steps.read(plan, reuse);
        state.sampledCount = steps.entries();
        state.tokens = steps.tokens();
        state.costNanos = config.stepCost().nanos(steps.prefillTokens(), steps.decodeEntries(), steps.contextTokens());
        state.delayNanos = config.d2hDelay().nanos(config.seed(), rank, state.step, state.tokens);
        if (lockStep)
        {
            join(state);
        }
        events.add(nowNanos, EventPhase.FORWARD, rank, state.step);
    }

    private void join(final RankState state)
    {
        final boolean first = state.step != jointStep;
        jointStep = state.step;
        jointCostNanos = first ? state.costNanos : Math.max(jointCostNanos, state.costNanos);
        jointDelayNanos = first ? state.delayNanos : Math.max(jointDelayNanos, state.delayNanos);
    }

    /** The step's remaining events do not happen; its rank is idle at once. */
    @Override
    public void abort(final int rank, final long step)
    {
        land(rank, step);
        releaseHeldIfNobodyReports();
    }

    private void land(final int rank, final long step)
    {
        if (step != NO_STEP && ranks[rank].step == step)
        {
            ranks[rank].step = NO_STEP;
            idleRanks++;
        }
    }

    /** Forgets every step in flight; reports on their way still arrive. */
    void reset()
    {
        for (final RankState state : ranks)
        {
            state.step = NO_STEP;
        }
        idleRanks = ranks.length;
        releaseHeld();
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
        while (events.size() > 0 && isOfPastStep())
        {
            events.removeNext();
        }
        return events.nextNanos();
    }

    private boolean isOfPastStep()
    {
        return events.nextPhase() != EventPhase.FAULTY_REPORT && ranks[events.nextIdentity()].step != events.nextSequence();
    }

    boolean anyRankIdle()
    {
        return idleRanks > 0;
    }

    /**
     * Reports the next event to the engine.
     *
     * @return true when the event was a completion, upon which the engine may plan.
     */
    boolean fireNext()
    {
        final long timeNanos = nextNanos();
        final int phase = events.nextPhase();
        final int rank = events.nextIdentity();
        if (phase == EventPhase.FORWARD)
        {
            launch(timeNanos, rank);
            return false;
        }
        if (phase == EventPhase.FAULTY_REPORT)
        {
            final StepReport report = posted.remove(events.nextSequence());
            events.removeNext();
            complete(timeNanos, report.epoch(), rank, report.step(), report.sampled(), report.sampled().length,
                report.tokens());
            return true;
        }
        events.removeNext();
        final RankState state = ranks[rank];
        final Fault fault = faults == null ? null : faults.of(rank, state.step, state.sampledCount, state.tokens);
        if (fault != null)
        {
            return inject(timeNanos, state, rank, fault);
        }
        complete(timeNanos, state.epoch, rank, state.step, state.sampled, state.sampledCount, state.tokens);
        return true;
    }

    private void launch(final long timeNanos, final int rank)
    {
        final RankState state = ranks[rank];
        final long duration = lockStep ? jointCostNanos + jointDelayNanos : state.costNanos + state.delayNanos;
        if (VirtualTime.isPast(timeNanos, duration))
        {
            throw VirtualTime.past("step " + state.step + " of rank " + rank + " would end",
                "lower the step cost, or shorten arrivals and think times");
        }
        events.replaceNext(timeNanos + duration, EventPhase.D2H_COMPLETE, rank, state.step);
        completions.forward(timeNanos, state.epoch, rank, state.step, timeNanos);
    }

    private void complete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final int[] sampled,
        final int sampledCount,
        final int tokens)
    {
        // The rank is free before the engine hears of it: an engine without threads plans within the call.
        land(rank, step);
        releaseHeld();
        completions.d2hComplete(
            timeNanos, epoch, rank, step, sampled, sampledCount, capture(epoch, rank, step, tokens));
    }

    private CaptureSlicePool.Slice capture(final int epoch, final int rank, final long step, final int tokens)
    {
        if (experts == null)
        {
            return null;
        }
        final CaptureSlicePool.Slice slice = slices.acquire(tokens);
        experts.writeRows(epoch, rank, step, tokens, slice.rows(), 0);
        return slice;
    }

    private boolean inject(final long timeNanos, final RankState state, final int rank, final Fault fault)
    {
        final StepReport report = new StepReport(state.epoch, rank, state.step,
            Arrays.copyOf(state.sampled, state.sampledCount), state.tokens, fault);
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
                        "step " + state.step + " of rank " + rank + " would be reported", "shorten the delay");
                }
                post(timeNanos + fault.nanos(), report);
                return false;
            }
            case DROPPED ->
            {
                state.silent = true;
                releaseHeldIfNobodyReports();
                return false;
            }
            case REORDERED ->
            {
                if (overtakeable)
                {
                    state.silent = true;
                    held.add(report);
                    return false;
                }
            }
            case DUPLICATED -> post(timeNanos, report);
            default ->
            {
                land(rank, state.step);
                releaseHeld();
                faults.send(timeNanos, report, capture(report.epoch(), rank, report.step(), report.tokens()));
                return true;
            }
        }
        complete(timeNanos, report.epoch(), rank, report.step(), report.sampled(), report.sampled().length, report.tokens());
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
            if (other != rank && ranks[other].step != NO_STEP && !ranks[other].silent)
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

    /** The step that is out on one rank. */
    private static final class RankState
    {
        private long step = NO_STEP;
        private int epoch;
        /** Its completion waits for another one, or never comes. */
        private boolean silent;
        private int tokens;
        private long costNanos;
        private long delayNanos;
        // Two arrays in turn: the next plan may come while the last completion is being reported.
        private int[] sampled = new int[16];
        private int[] other = new int[16];
        private int sampledCount;
    }
}
