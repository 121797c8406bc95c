// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.batch.BatchListener;
import io.signalbox.batch.BatchPlanner;
import io.signalbox.batch.BatchRules;
import io.signalbox.batch.RankBlocks;
import io.signalbox.batch.RankLoad;
import io.signalbox.batch.RequestPlaces;
import io.signalbox.batch.StepPlan;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.SavedPages;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.saved.SavedFields;

/** One DP rank as the scheduler sees it: its blocks, its load, its planner and the steps that are in flight. */
final class DpRank
{
    private static final int MAX_DOUBLINGS = 6;

    final RankBlocks blocks;
    final RankLoad load;
    final BatchPlanner planner;
    final OpenSteps open;
    private final int rank;
    private final int blockSizeTokens;
    private RankStage stage = RankStage.ACTIVE;
    /** Whether a lost rank is expected to be reset. */
    private final boolean returns;
    private int epoch;
    private boolean due;
    private long steps;
    private int failedSteps;
    private long failedUpTo;
    private boolean resting;
    private long restsUntilNanos;
    /** {@code null}: nobody asks which ranks have a slot. */
    private ReadyRanks withSlot;

    /** @param listener receives every request that loses its blocks and waits again, is paused, or continues. */
    DpRank(
        final SchedulerConfig config, final int rank, final RoutedExpertPages pages, final BatchListener listener)
    {
        this.rank = rank;
        returns = config.ranksReturn();
        blockSizeTokens = config.blockSizeTokens();
        blocks = new RankBlocks(
            rank,
            config.kvBlocks(),
            config.blockSizeTokens(),
            config.evictionPolicy(),
            config.prefixCaching(),
            config.sameStepSharing(),
            pages);
        final BatchRules rules = BatchSettings.rules(config);
        load = new RankLoad(rules);
        planner = new BatchPlanner(blocks, load, rules, listener);
        open = new OpenSteps(config.depth());
    }

    /** Tokens that {@link KvBlockAllocator#allocatableCount()} blocks hold. */
    long freeTokens()
    {
        return (long)blocks.allocator().allocatableCount() * blockSizeTokens;
    }

    /** Tokens that all blocks hold, except the dummy block. */
    long poolTokens()
    {
        return (long)blocks.allocator().dummyBlock() * blockSizeTokens;
    }

    /** Tokens in cached blocks that eviction can take. */
    long cachedTokens()
    {
        return (long)blocks.allocator().evictableCount() * blockSizeTokens;
    }

    /** Number of the next step; a number is never used twice, also if its step is withdrawn. */
    long nextStep()
    {
        return steps + 1;
    }

    /** Something happened that may let the rank plan a step. */
    void due()
    {
        due = true;
    }

    /** Plans a step that the rank takes independently of others; returns whether there is anything to compute. */
    boolean plan()
    {
        return plan(nextStep());
    }

    /** @param step the number of a step that all ranks take together. */
    boolean plan(final long step)
    {
        due = false;
        return planner.plan(open.next(), step);
    }

    /** Leaves the rank without work in a step of the others. */
    void planNothing(final long step)
    {
        open.next().clear();
        open.next().number(step, blocks.weightGeneration());
    }

    /** The rank is in the set as long as it has room for a further step, lost or not. */
    void keepIn(final ReadyRanks ranksWithSlot)
    {
        withSlot = ranksWithSlot;
        noteSlot();
    }

    private void noteSlot()
    {
        if (withSlot != null)
        {
            withSlot.set(rank, open.hasSlot());
        }
    }

    /** The plan is in flight from now on. */
    void launch()
    {
        open.open();
        steps = open.newest().step();
        noteSlot();
    }

    /** The backend has begun a step; returns whether that makes room for a further plan. */
    boolean launched(final long step)
    {
        final boolean makesRoom = open.launched(step);
        if (makesRoom)
        {
            due = true;
            noteSlot();
        }
        return makesRoom;
    }

    /** The oldest step has been committed. */
    void land()
    {
        final StepPlan plan = open.oldest();
        open.land();
        noteSlot();
        planner.landed(plan);
        due = true;
    }

    /** A step and all later ones will never land. The requests that they computed start over. */
    void withdraw(final long fromStep)
    {
        close(fromStep);
        planner.withdraw(fromStep);
        due = true;
    }

    private void close(final long fromStep)
    {
        while (!open.isEmpty() && open.newest().step() >= fromStep)
        {
            blocks.withdrawn(open.newest());
            open.withdrawNewest();
        }
        noteSlot();
        blocks.withdraw(fromStep, open.isEmpty() ? fromStep - 1 : open.newest().step(), open.isEmpty());
    }

    /** No step in flight will ever land: every request on the rank starts over, in their order. */
    void withdrawAll()
    {
        if (!open.isEmpty())
        {
            close(open.oldest().step());
        }
        planner.withdrawAll();
        due = true;
    }

    /** The rank takes part in no step before its backend is reset; none may be in flight. */
    void lose()
    {
        if (!open.isEmpty())
        {
            throw new InvariantViolation("rank " + rank + " is lost with " + open.size() + " steps in flight");
        }
        stage = stage.moveTo(RankStage.LOST, rank);
    }

    /** The backend of the rank starts anew. */
    void reset(final int newEpoch)
    {
        if (newEpoch <= epoch)
        {
            throw new InvariantViolation(
                "rank " + rank + " begins epoch " + newEpoch + " after epoch " + epoch + "; epochs of a rank count upwards");
        }
        epoch = newEpoch;
        stage = stage.moveTo(RankStage.ACTIVE, rank);
        due = true;
    }

    /** Nobody is expected to reset the lost rank. */
    void giveUp()
    {
        stage = stage.moveTo(RankStage.GIVEN_UP, rank);
    }

    /** Whether requests may wait for the rank: it is not lost, or is expected to be reset. */
    boolean isExpected()
    {
        return stage == RankStage.ACTIVE || stage == RankStage.LOST && returns;
    }

    /** Counts the resets of the rank's backend: reports of another epoch are of no step in flight. */
    int epoch()
    {
        return epoch;
    }

    /** Whether the rank could take part in a further step now. */
    boolean hasSlot()
    {
        return stage == RankStage.ACTIVE && open.hasSlot();
    }

    /** Whether a step with something to compute could be planned now. */
    boolean mayPlan()
    {
        return hasSlot() && !resting && planner.hasWork();
    }

    /** Whether it is worth trying: something has changed since the last plan. */
    boolean wantsPlan()
    {
        return due && mayPlan();
    }

    /**
     * Records that a step of the rank failed. After the first of several consecutive failures the rank retries at once.
     * After each later one it rests; the rest doubles each time, at most {@link #MAX_DOUBLINGS} times.
     */
    void stepFailed(final long nowNanos, final long backOffNanos)
    {
        failedSteps = Math.min(failedSteps + 1, MAX_DOUBLINGS + 2);
        resting = failedSteps > 1;
        if (resting)
        {
            restsUntilNanos = nowNanos + Math.min(backOffNanos << failedSteps - 2, Long.MAX_VALUE - nowNanos);
        }
    }

    /** Every step up to the newest one was planned before the failure. */
    void failedBehind()
    {
        failedUpTo = steps;
    }

    /** Whether the step was planned after the last one that failed: only its success says that the rank is well again. */
    boolean outlived(final long step)
    {
        return step > failedUpTo;
    }

    /** Records that a step of the rank succeeded, or that its backend was reset. */
    void recovered()
    {
        failedSteps = 0;
        failedUpTo = 0;
        due |= resting;
        resting = false;
    }

    boolean isResting()
    {
        return resting;
    }

    /** Whether the rank rests after failed steps. */
    long restsUntilNanos()
    {
        return restsUntilNanos;
    }

    void rest(final long nowNanos)
    {
        final boolean rests = resting && nowNanos < restsUntilNanos;
        due |= resting && !rests;
        resting = rests;
    }

    /** Saves the rank, or restores it in a new one. */
    void save(final SavedFields fields, final RequestPlaces requests, final SavedPages pages)
    {
        stage = fields.constant(stage, RankStage.values());
        epoch = fields.int32(epoch);
        due = fields.flag(due);
        steps = fields.number(steps);
        failedSteps = fields.int32(failedSteps);
        failedUpTo = fields.number(failedUpTo);
        resting = fields.flag(resting);
        restsUntilNanos = fields.number(restsUntilNanos);
        fields.record(() -> load.save(fields));
        fields.record(() -> planner.save(fields, requests));
        fields.record(() -> open.save(fields, requests));
        fields.record(() -> blocks.save(fields, pages));
        noteSlot();
    }

    /** Digest of the steps in flight and of what is remembered of failed ones, chained to another. */
    long digest(final long before)
    {
        final long fate = stage == RankStage.ACTIVE ? before : StateDigest.mix(before, stage.ordinal());
        final long digest = StateDigest.mix(epoch == 0 ? fate : StateDigest.mix(fate, epoch), open.digest(), steps);
        return failedSteps == 0 ? digest : StateDigest.mix(
            StateDigest.mix(digest, failedSteps, failedUpTo), resting ? restsUntilNanos : 0);
    }

    boolean isLost()
    {
        return stage != RankStage.ACTIVE;
    }

    /** Digest of the pools of all ranks. */
    static long poolDigest(final DpRank[] ranks)
    {
        long digest = 0;
        for (int rank = 0; rank < ranks.length; rank++)
        {
            digest += StateDigest.mix(rank, ranks[rank].blocks.allocator().poolDigest());
        }
        return digest;
    }

    /** Digest of the cached blocks of all ranks. */
    static long prefixIndexDigest(final DpRank[] ranks)
    {
        long digest = 0;
        for (int rank = 0; rank < ranks.length; rank++)
        {
            digest += StateDigest.mix(rank, ranks[rank].blocks.allocator().prefixIndexDigest());
        }
        return digest;
    }
}
