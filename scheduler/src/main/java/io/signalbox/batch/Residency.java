// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

/**
 * The stay of a request in the batch of its rank: from its admission until it gives its KV blocks back. It is its own
 * {@link FlightLog}, and {@link RequestOutlook} says why.
 */
abstract class Residency extends RequestProgress
{
    /** Why a request gets no further entries, and leaves the batch when its last one has landed. */
    enum Leaving
    {
        NO,
        /** It waits again: another request needs its blocks. */
        PREEMPTED,
        /** It waits again: a step that computed it was withdrawn. */
        WITHDRAWN,
        /** It waits again: its blocks are of former weights. */
        NEW_WEIGHTS,
        /** It ends. */
        ENDING
    }

    /** Of a request that waits again: the number of the stay that it lost. */
    private long former = NO_STAY;
    private Leaving leaving = Leaving.NO;
    private int firstPending;
    private int endPending;
    private boolean hadEmitted;
    private boolean paused;
    private int promisedBlocks;
    /** Counts on beyond the stay. */
    private int preemptions;

    /** The request's stay in the batch of its rank, and its entries in flight. */
    final Residency stay()
    {
        return this;
    }

    /** @param admission a number of no other admission. */
    void begin(final long admission)
    {
        number = admission;
        former = NO_STAY;
    }

    /** The request loses its blocks and waits again on its rank. */
    void endAndWait()
    {
        former = number;
        end();
    }

    /** The request waits on a rank on which it has not run. */
    void waitAnew()
    {
        former = NO_STAY;
    }

    /** Whether the request has run on its rank and waits again, and was admitted before the other one. */
    boolean wasAheadOf(final Residency other)
    {
        return former != NO_STAY && former < other.former;
    }

    void end()
    {
        number = NO_STAY;
        sampledInStep = NO_STEP;
        sampledInEntry = 0;
        leaving = Leaving.NO;
        paused = false;
        promisedBlocks = 0;
        clear();
        sharesNothingPending();
    }

    /** Another request begins. */
    void reset()
    {
        end();
        former = NO_STAY;
        preemptions = 0;
    }

    /** Whether the request keeps its blocks but gets no entries. */
    boolean isPaused()
    {
        return paused;
    }

    void pause(final boolean isPaused)
    {
        paused = isPaused;
    }

    /** Blocks that the request may have in this stay, whatever others need. */
    int promisedBlocks()
    {
        return promisedBlocks;
    }

    void promise(final int blocks)
    {
        promisedBlocks = blocks;
    }

    /** How often the request gave up its blocks for others. */
    int preemptions()
    {
        return preemptions;
    }

    void preempted()
    {
        preemptions++;
    }

    /** Differs between any two stays. */
    long number()
    {
        return number;
    }

    /**
     * Blocks {@code [first, end)} of the request are shared with steps in flight.
     *
     * @param emitted whether the request had emitted a token before.
     */
    void shares(final int first, final int end, final boolean emitted)
    {
        firstPending = first;
        endPending = end;
        hadEmitted = emitted;
    }

    void sharesNothingPending()
    {
        firstPending = 0;
        endPending = 0;
    }

    /** Whether rows and counts of shared blocks are provisional: none of the request's steps was committed since. */
    boolean isProvisional()
    {
        return firstPending < endPending;
    }

    int firstPending()
    {
        return firstPending;
    }

    int endPending()
    {
        return endPending;
    }

    boolean hadEmitted()
    {
        return hadEmitted;
    }

    /** The entry whose sampled token is the last one that is known or will be. */
    void sampledIn(final long step, final int entry)
    {
        sampledInStep = step;
        sampledInEntry = entry;
    }

    /** The step of that entry; far back if nothing was sampled since the admission. */
    long sampledInStep()
    {
        return sampledInStep;
    }

    int sampledInEntry()
    {
        return sampledInEntry;
    }

    /** The first reason counts, except that a request that is to end does not wait again. */
    void leave(final Leaving reason)
    {
        leaving = leaving == Leaving.NO || reason == Leaving.ENDING ? reason : leaving;
    }

    Leaving leaving()
    {
        return leaving;
    }

    boolean isLeaving()
    {
        return leaving != Leaving.NO;
    }

    /** Whether the request waits again once nothing of it is in flight. */
    boolean isComingBack()
    {
        return leaving != Leaving.NO && leaving != Leaving.ENDING;
    }

    /** Why the request waits again. */
    RequeueCause cause()
    {
        return switch (leaving)
        {
            case PREEMPTED -> RequeueCause.PREEMPTED;
            case WITHDRAWN -> RequeueCause.STEP_WITHDRAWN;
            case NEW_WEIGHTS -> RequeueCause.NEW_WEIGHTS;
            case NO, ENDING -> throw new InvariantViolation("a request that waits again is " + leaving);
        };
    }

    final long stayDigest()
    {
        final long digest = StateDigest.mix(
            StateDigest.mix(number, leaving.ordinal(), flightDigest()), sampledInStep, sampledInEntry);
        final long stay = preemptions == 0 && promisedBlocks == 0 && !paused ? digest :
            StateDigest.mix(digest, ((long)preemptions << 1) + (paused ? 1 : 0), promisedBlocks);
        final long shared = firstPending < endPending ? StateDigest.mix(stay, firstPending, endPending) : stay;
        return former == NO_STAY ? shared : StateDigest.mix(shared, former);
    }
}
