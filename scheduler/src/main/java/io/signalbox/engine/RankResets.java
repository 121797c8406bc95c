// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Resets of ranks: those that somebody asks for, and those of ranks that were lost. A rank that is lost again and again is
 * reset a bounded number of times until one of its steps is committed. Thread-safe.
 */
final class RankResets
{
    static final int NO_RANK = -1;

    private final Backend backend;
    private final int maxTries;
    private final int[] tries;
    private final boolean[] due;
    /** Held from the reset until its input is sequenced: epochs of a rank must arrive in their order. */
    private final Object[] turns;
    /** Whether a rank was ever lost: while none was, nothing is due and no try counts, and asking for that takes no lock. */
    private volatile boolean anyLost;
    private int epoch;

    /** @param maxTries automatic resets of a rank in a row; 0: none. */
    RankResets(final Backend backend, final int ranks, final int maxTries)
    {
        this.backend = backend;
        this.maxTries = backend.capabilities().resetsRanks() ? maxTries : 0;
        tries = new int[ranks];
        due = new boolean[ranks];
        turns = new Object[ranks];
        Arrays.setAll(turns, rank -> new Object());
    }

    /** Whether lost ranks are reset by themselves. */
    boolean areAutomatic()
    {
        return maxTries > 0;
    }

    /** The steps of the rank were withdrawn and aborted, since it is lost. */
    synchronized void lost(final int rank)
    {
        anyLost = true;
        due[rank] = tries[rank] < maxTries;
        tries[rank] += due[rank] ? 1 : 0;
    }

    /** A step of the rank was committed. */
    void worked(final int rank)
    {
        if (anyLost)
        {
            forgetTries(rank);
        }
    }

    private synchronized void forgetTries(final int rank)
    {
        tries[rank] = 0;
    }

    /** A rank whose reset is due, which is not due any more, or {@link #NO_RANK}. */
    int takeDue()
    {
        return anyLost ? takeFirstDue() : NO_RANK;
    }

    private synchronized int takeFirstDue()
    {
        final int rank = firstDue();
        if (rank != NO_RANK)
        {
            due[rank] = false;
        }
        return rank;
    }

    private synchronized int firstDue()
    {
        for (int rank = 0; rank < due.length; rank++)
        {
            if (due[rank])
            {
                return rank;
            }
        }
        return NO_RANK;
    }

    private synchronized boolean isStillDue(final int rank)
    {
        final boolean was = due[rank];
        due[rank] = false;
        return was;
    }

    /**
     * Resets a rank that somebody names, and sequences the input that says so.
     *
     * @throws IllegalArgumentException if the rank does not exist, or its backend resets none.
     */
    void reset(final int rank, final Engine engine, final LongSupplier clock)
    {
        if (rank < 0 || rank >= due.length)
        {
            throw new IllegalArgumentException(
                "rank=" + rank + " is not one of the ranks 0 to " + (due.length - 1) + "; name the rank to reset");
        }
        if (!backend.capabilities().resetsRanks())
        {
            throw new IllegalArgumentException("rank " + rank + " cannot be reset, because the backend " +
                backend.capabilities().name() + " does not declare that it resets ranks; close the engine and open another");
        }
        final InputWriter writer = new InputWriter();
        synchronized (turns[rank])
        {
            // This reset takes the place of the automatic one.
            isStillDue(rank);
            reset(rank, clock.getAsLong(), writer);
            engine.offer(writer.buffer(), 0, writer.length(), null);
        }
    }

    private void reset(final int rank, final long timeNanos, final InputWriter writer)
    {
        final boolean kvMemoryKept = backend.reset(rank);
        writer.backendReset().timeNanos(timeNanos).newEpoch(nextEpoch()).rank(rank)
            .kvMemoryKept(kvMemoryKept ? Flag.YES : Flag.NO);
    }

    private synchronized int nextEpoch()
    {
        return ++epoch;
    }

    /**
     * Resets a rank that was due, and encodes the input that says so. If the backend throws, the next try is due, if there
     * is one, and the input is a note with the reason.
     */
    void encodeReset(final int rank, final long timeNanos, final InputWriter writer)
    {
        try
        {
            reset(rank, timeNanos, writer);
        }
        catch (final RuntimeException e)
        {
            lost(rank);
            writer.control().timeNanos(timeNanos).requestId(-1).kind(ControlKind.NOTE)
                .note("the reset of rank " + rank + " failed: " + e);
        }
    }

    /** Resets a rank that is due, if there is one, and sequences the input that says so. */
    void runDue(final Engine engine, final long timeNanos)
    {
        final int rank = firstDue();
        if (rank == NO_RANK)
        {
            return;
        }
        synchronized (turns[rank])
        {
            if (isStillDue(rank))
            {
                final InputWriter writer = new InputWriter();
                encodeReset(rank, timeNanos, writer);
                engine.offer(writer.buffer(), 0, writer.length(), null);
            }
        }
    }
}
