// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import java.util.Arrays;

/**
 * Things that will happen, ordered by time, then phase, then identity, then sequence. The order is total as long as no two
 * entries agree in all four, so that the order of insertion never decides. Nothing is allocated once the queue has reached
 * its largest size.
 *
 * <p>Entries are in slots, and each pair of slots is a match that the earlier entry wins, up to the final. A change of one
 * slot repeats its matches alone, one on each level, without a branch that depends on the times unless two are equal: the
 * processor would guess it wrong every other time.
 */
final class EventQueue
{
    /** The time of the first event of an empty queue. */
    static final long NEVER = Long.MAX_VALUE;

    private int slots;
    /** {@link #NEVER} in a slot without an entry. */
    private long[] times;
    /** Phase and identity, in this order. */
    private long[] kinds;
    private long[] sequences;
    /** Slots without an entry; the next one that is used is the last. */
    private int[] free;
    /** The slot that wins match 1, the final, or match {@code i} between the winners at 2i and 2i + 1. */
    private int[] winners;
    private int size;
    /** The slot of the first entry, whether it was taken away or not. */
    private int first;
    /** The first entry was taken away, and its slot not yet used again: most often another entry comes at once. */
    private boolean isFirstTaken;

    EventQueue(final int initialCapacity)
    {
        slots = Integer.highestOneBit(Math.max(1, 2 * initialCapacity - 1));
        times = new long[slots];
        kinds = new long[slots];
        sequences = new long[slots];
        Arrays.fill(times, NEVER);
        addSlots(0);
    }

    private static long kind(final int phase, final int identity)
    {
        return (long)phase << Integer.SIZE | identity;
    }

    int size()
    {
        return isFirstTaken ? size - 1 : size;
    }

    /** The slot of the first event. */
    private int next()
    {
        if (isFirstTaken)
        {
            isFirstTaken = false;
            free[slots - size] = first;
            size--;
            put(first, NEVER, 0, 0);
        }
        return first;
    }

    /** Time of the first event, or {@link #NEVER}. */
    long nextNanos()
    {
        return times[next()];
    }

    int nextPhase()
    {
        return (int)(kinds[next()] >> Integer.SIZE);
    }

    int nextIdentity()
    {
        return (int)kinds[next()];
    }

    long nextSequence()
    {
        return sequences[next()];
    }

    /** @param identity not negative. */
    void add(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        if (isFirstTaken)
        {
            isFirstTaken = false;
            put(first, timeNanos, kind(phase, identity), sequence);
            return;
        }
        if (size == slots)
        {
            grow();
        }
        size++;
        put(free[slots - size], timeNanos, kind(phase, identity), sequence);
    }

    /** Takes the first event away; there must be one. */
    void removeNext()
    {
        next();
        isFirstTaken = true;
    }

    /** Takes the first event away and adds another one. */
    void replaceNext(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        put(next(), timeNanos, kind(phase, identity), sequence);
    }

    /** Times are not negative, so that their difference is within a long. */
    private void put(final int slot, final long timeNanos, final long kind, final long sequence)
    {
        times[slot] = timeNanos;
        kinds[slot] = kind;
        sequences[slot] = sequence;
        int winner = slot;
        long time = timeNanos;
        for (int place = slots + slot; place > 1; place >>= 1)
        {
            final int other = winners[place ^ 1];
            final long later = times[other] - time;
            if (later == 0)
            {
                winner = isOfEarlierKind(other, winner) ? other : winner;
            }
            else
            {
                final long isEarlier = later >> Long.SIZE - 1;
                time += later & isEarlier;
                winner += other - winner & (int)isEarlier;
            }
            winners[place >> 1] = winner;
        }
        first = winner;
    }

    private boolean isOfEarlierKind(final int slot, final int other)
    {
        return kinds[slot] != kinds[other] ? kinds[slot] < kinds[other] : sequences[slot] < sequences[other];
    }

    private void grow()
    {
        final int former = slots;
        slots *= 2;
        times = Arrays.copyOf(times, slots);
        kinds = Arrays.copyOf(kinds, slots);
        sequences = Arrays.copyOf(sequences, slots);
        Arrays.fill(times, former, slots, NEVER);
        addSlots(former);
    }

    /** Frees the slots from this one on, the lowest first, and plays all matches. */
    private void addSlots(final int from)
    {
        free = new int[slots];
        winners = new int[2 * slots];
        for (int slot = 0; slot < slots; slot++)
        {
            winners[slots + slot] = slot;
            free[slots - 1 - slot] = slot;
        }
        for (int slot = from; slot < slots; slot++)
        {
            put(slot, NEVER, 0, 0);
        }
        for (int slot = 0; slot < from; slot++)
        {
            put(slot, times[slot], kinds[slot], sequences[slot]);
        }
    }
}
