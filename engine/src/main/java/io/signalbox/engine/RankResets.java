// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Resets of ranks: those that a caller asks for, and those of ranks that were lost. A rank that is lost again and again is
 * reset a bounded number of times until one of its steps is committed; then it is given up, which its requests must not
 * wait for. Thread-safe.
 */
final class RankResets
{
    static final int NO_RANK = -1;

    /** Reaction to the loss of a rank that has not been taken yet. */
    private enum Due
    {
        NOTHING, RESET, GIVE_UP
    }

    private final Backend backend;
    private final int maxTries;
    private LongSupplier clock;
    private final int[] tries;
    private final int[] lostEpochs;
    private final Due[] due;
    /** Held from the reset until its input is sequenced: epochs of a rank must arrive in their order. */
    private final ReentrantLock[] turns;
    /** Whether a rank was ever lost: while none was, nothing is due and no try counts, and asking for that takes no lock. */
    private volatile boolean anyLost;
    private int epoch;
    private boolean ended;

    /** @param maxTries automatic resets of a rank in a row; 0: none, so that only a caller brings a lost rank back. */
    RankResets(final Backend backend, final int ranks, final int maxTries)
    {
        this.backend = backend;
        this.maxTries = backend.capabilities().resetsRanks() ? maxTries : 0;
        tries = new int[ranks];
        lostEpochs = new int[ranks];
        due = new Due[ranks];
        Arrays.fill(due, Due.NOTHING);
        turns = new ReentrantLock[ranks];
        Arrays.setAll(turns, rank -> new ReentrantLock());
    }

    /** The logical time of its inputs; to be called before the first one. */
    void stampBy(final LongSupplier value)
    {
        clock = value;
    }

    /** Whether the engine reacts to the loss of a rank without a caller. */
    boolean areAutomatic()
    {
        return maxTries > 0;
    }

    /** The steps of the rank were withdrawn and aborted, since it is lost. */
    synchronized void lost(final int rank, final int lostEpoch)
    {
        anyLost = true;
        lostEpochs[rank] = lostEpoch;
        due[rank] = maxTries == 0 ? Due.NOTHING : tries[rank] < maxTries ? Due.RESET : Due.GIVE_UP;
        tries[rank] += due[rank] == Due.RESET ? 1 : 0;
        notifyAll();
    }

    /** Waits until the loss of a rank needs a reaction, or {@link #endWaits} is called. */
    synchronized void awaitDue() throws InterruptedException
    {
        while (firstDue() == NO_RANK && !ended)
        {
            wait();
        }
    }

    /** Nobody waits for a loss from here on. */
    synchronized void endWaits()
    {
        ended = true;
        notifyAll();
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

    /** A rank whose loss needs a reaction, or {@link #NO_RANK}. */
    int firstDue()
    {
        return anyLost ? searchDue() : NO_RANK;
    }

    private synchronized int searchDue()
    {
        for (int rank = 0; rank < due.length; rank++)
        {
            if (due[rank] != Due.NOTHING)
            {
                return rank;
            }
        }
        return NO_RANK;
    }

    private synchronized Due takeDue(final int rank)
    {
        final Due taken = due[rank];
        due[rank] = Due.NOTHING;
        return taken;
    }

    /**
     * Resets a rank that a caller names, and sequences the input that says so. If the backend throws, an automatic reset
     * that was due stays due.
     *
     * @throws IllegalArgumentException if the rank does not exist, or its backend resets none.
     */
    void reset(final int rank, final Engine engine)
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
        turns[rank].lock();
        try
        {
            reset(rank, writer);
            takeDue(rank);
            engine.offer(writer.buffer(), 0, writer.length(), null);
        }
        finally
        {
            turns[rank].unlock();
        }
    }

    private void reset(final int rank, final InputWriter writer)
    {
        final boolean kvMemoryKept = backend.reset(rank);
        writer.backendReset().timeNanos(clock.getAsLong()).newEpoch(nextEpoch()).rank(rank)
            .kvMemoryKept(kvMemoryKept ? Flag.YES : Flag.NO);
    }

    /** An earlier engine has used the epochs up to this one. */
    synchronized void continueAfter(final int lastEpoch)
    {
        epoch = lastEpoch;
    }

    /** An epoch that no rank has had. */
    synchronized int nextEpoch()
    {
        return ++epoch;
    }

    /**
     * Reacts to the loss of a rank and encodes the input that says so. If the backend throws, the next try is due, and the
     * input is a note with the reason.
     *
     * @return false if a caller has reset the rank meanwhile.
     */
    boolean encodeDue(final int rank, final InputWriter writer)
    {
        final Due reaction = takeDue(rank);
        if (reaction == Due.RESET)
        {
            try
            {
                reset(rank, writer);
            }
            catch (final RuntimeException e)
            {
                lost(rank, lostEpochs[rank]);
                writer.control().timeNanos(clock.getAsLong()).requestId(-1).kind(ControlKind.NOTE)
                    .note("the reset of rank " + rank + " failed: " + e);
            }
        }
        else if (reaction == Due.GIVE_UP)
        {
            writer.backendFault().timeNanos(clock.getAsLong()).step(0).epoch(lostEpochs[rank]).rank(rank)
                .faultClass(FaultClass.RANK_GIVEN_UP).detail("lost again after " + maxTries + " resets in a row");
        }
        return reaction != Due.NOTHING;
    }

    /** Reacts to the loss of one rank, if there is one, and sequences the input that says so. */
    void runDue(final Engine engine)
    {
        final int rank = firstDue();
        if (rank == NO_RANK)
        {
            return;
        }
        turns[rank].lock();
        try
        {
            final InputWriter writer = new InputWriter();
            if (encodeDue(rank, writer))
            {
                engine.offer(writer.buffer(), 0, writer.length(), null);
            }
        }
        finally
        {
            turns[rank].unlock();
        }
    }

    /**
     * Waits for resets under way, and lets none begin any more: the backend is closed next.
     *
     * @throws IllegalStateException if the backend has not answered in time.
     */
    void close(final long timeoutNanos)
    {
        final long deadline = System.nanoTime() + timeoutNanos;
        for (int rank = 0; rank < turns.length; rank++)
        {
            if (!takeTurn(turns[rank], deadline))
            {
                throw new IllegalStateException(
                    "the backend still resets rank " + rank + " after " + Nanos.text(timeoutNanos) + " and is closed now");
            }
        }
    }

    /** An interrupt of the closing thread is kept for later. */
    private static boolean takeTurn(final ReentrantLock turn, final long deadline)
    {
        boolean interrupted = false;
        try
        {
            while (true)
            {
                try
                {
                    return turn.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                }
                catch (final InterruptedException e)
                {
                    interrupted = true;
                }
            }
        }
        finally
        {
            if (interrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }
}
