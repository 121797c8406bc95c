// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.workload.VirtualTime;

import java.util.Arrays;

/**
 * Simulated DP ranks in virtual time. A plan turns into two events: Forward at the instant of the plan, D2hComplete
 * after the step's cost and the D2H delay. The owner sets the time, asks when the next event is due, and fires it.
 *
 * <p>Ranks in lock-step end a step together: at the cost of the slowest of them, after the longest of their D2H delays.
 *
 * <p>The owner's calls and {@link #submit} may come from different threads but never at the same time; the owner
 * waits for the engine before it looks. A capture slice may be released by any thread at any time.
 */
final class SimulatedBackend implements Backend
{
    private static final long NO_STEP = -1;

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
    }

    @Override
    public void submit(final StepView plan)
    {
        final int rank = plan.rank();
        final RankState state = ranks[rank];
        if (state.step != NO_STEP)
        {
            throw new InvariantViolation("rank " + rank + " was given step " + plan.step() + " while step " + state.step +
                " is out; the planner holds one credit per rank");
        }
        idleRanks--;
        state.step = plan.step();
        state.epoch = plan.epoch();
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
        if (ranks[rank].step == step)
        {
            ranks[rank].step = NO_STEP;
            idleRanks++;
        }
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
        while (events.size() > 0 && ranks[events.nextIdentity()].step != events.nextSequence())
        {
            events.removeNext();
        }
        return events.nextNanos();
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
        final RankState state = ranks[rank];
        final long step = state.step;
        if (phase == EventPhase.FORWARD)
        {
            final long duration =
                lockStep ? jointCostNanos + jointDelayNanos : state.costNanos + state.delayNanos;
            if (VirtualTime.isPast(timeNanos, duration))
            {
                throw VirtualTime.past("step " + step + " of rank " + rank + " would end",
                    "lower the step cost, or shorten arrivals and think times");
            }
            events.replaceNext(timeNanos + duration, EventPhase.D2H_COMPLETE, rank, step);
            completions.forward(timeNanos, state.epoch, rank, step, timeNanos);
            return false;
        }
        events.removeNext();
        // The rank is free before the engine hears of it: an engine without threads plans within the call.
        state.step = NO_STEP;
        idleRanks++;
        completions.d2hComplete(
            timeNanos, state.epoch, rank, step, state.sampled, state.sampledCount, capture(rank, state, step));
        return true;
    }

    private CaptureSlicePool.Slice capture(final int rank, final RankState state, final long step)
    {
        if (experts == null)
        {
            return null;
        }
        final CaptureSlicePool.Slice slice = slices.acquire(state.tokens);
        experts.writeRows(state.epoch, rank, step, state.tokens, slice.rows(), 0);
        return slice;
    }

    /** The step that is out on one rank. */
    private static final class RankState
    {
        private long step = NO_STEP;
        private int epoch;
        private int tokens;
        private long costNanos;
        private long delayNanos;
        // Two arrays in turn: the next plan may come while the last completion is being reported.
        private int[] sampled = new int[16];
        private int[] other = new int[16];
        private int sampledCount;
    }
}
