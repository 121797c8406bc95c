// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

/**
 * The entries of one request that are in flight, in step order, and the interval in which the next one starts. The host
 * knows bounds; the device knows the exact position; each commit narrows the bounds. Nothing is ever rolled back.
 */
class FlightLog
{
    /** Steps of one rank that may be in flight. */
    static final int MAX_DEPTH = 4;
    private static final int COUNT_SHIFT = 32;

    /** Per entry its step, then its count and end and whether it is bound late: one array, since each step reads it. */
    private final long[] words = new long[2 * MAX_DEPTH];
    private int size;

    void clear()
    {
        size = 0;
    }

    boolean isEmpty()
    {
        return size == 0;
    }

    /** Step of the newest entry; there must be one. */
    long newestStep()
    {
        return step(size - 1);
    }

    /**
     * Adds the newest entry.
     *
     * @param end         no position at or above it is computed.
     * @param isLateBound whether it advances by 1 to {@code count} tokens, which the device decides; else by {@code count}.
     */
    void add(final long step, final int count, final int end, final boolean isLateBound)
    {
        if (size == MAX_DEPTH || size > 0 && step <= newestStep())
        {
            throw new InvariantViolation("an entry of step " + step + " joins " + size + " entries in flight, the newest " +
                "of step " + (size == 0 ? 0 : newestStep()));
        }
        words[2 * size] = step;
        words[2 * size++ + 1] = (long)count << COUNT_SHIFT | (long)end << 1 | (isLateBound ? 1 : 0);
    }

    private long step(final int index)
    {
        return words[2 * index];
    }

    private int count(final int index)
    {
        return (int)(words[2 * index + 1] >>> COUNT_SHIFT);
    }

    private int end(final int index)
    {
        return (int)words[2 * index + 1] >>> 1;
    }

    private boolean isLateBound(final int index)
    {
        return (words[2 * index + 1] & 1) != 0;
    }

    /** The oldest entry has landed. */
    void landed(final long step)
    {
        if (size == 0 || words[0] != step)
        {
            throw new InvariantViolation("an entry of step " + step + " landed, but the oldest entry in flight is of step " +
                (size == 0 ? "none" : Long.toString(words[0])));
        }
        size--;
        for (int i = 0; i < 2 * size; i++)
        {
            words[i] = words[i + 2];
        }
    }

    /** The first step from {@code fromStep} on that has an entry; -1 if there is none. */
    long firstFrom(final long fromStep)
    {
        int i = 0;
        while (i < size && step(i) < fromStep)
        {
            i++;
        }
        return i == size ? -1 : step(i);
    }

    /** Entries of this step and of later ones will never land; returns whether there were any. */
    boolean withdraw(final long fromStep)
    {
        final int before = size;
        while (size > 0 && newestStep() >= fromStep)
        {
            size--;
        }
        return size < before;
    }

    /** Lowest position at which the next entry can start. */
    int lowest(final int computedTokens)
    {
        int low = computedTokens;
        for (int i = 0; i < size; i++)
        {
            low += !isLateBound(i) ? count(i) : low < end(i) ? 1 : 0;
        }
        return low;
    }

    /** Highest position at which the next entry can start. */
    int highest(final int computedTokens)
    {
        int high = computedTokens;
        for (int i = 0; i < size; i++)
        {
            high = isLateBound(i) ? Math.max(high, Math.min(high + count(i), end(i))) : high + count(i);
        }
        return high;
    }

    /** Changes with every entry. */
    long digest()
    {
        long digest = size;
        for (int i = 0; i < size; i++)
        {
            digest = StateDigest.mix(
                digest, step(i), ((long)count(i) << 33) ^ ((long)end(i) << 1) ^ (isLateBound(i) ? 1 : 0));
        }
        return digest;
    }
}
