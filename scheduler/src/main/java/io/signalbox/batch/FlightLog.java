// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

/**
 * The entries of one request that are in flight, in step order, and the interval in which the next one starts. The host
 * knows bounds; the device knows the exact position; each commit narrows the bounds. Nothing is ever rolled back.
 */
abstract class FlightLog extends RequestOutlook
{
    /** Steps of one rank that may be in flight. */
    static final int MAX_DEPTH = 4;
    private static final int COUNT_SHIFT = 32;
    static final long NO_STAY = 0;

    /** Of the stay in the batch; differs between any two. */
    long number = NO_STAY;
    int computedTokens;
    /**
     * Per entry its step, and its count, its end and whether it is bound late. Those of the two oldest are fields, because
     * each step reads them for each running request: what is not beside them is a further cache line.
     */
    private long step0;
    private long word0;
    private long step1;
    private long word1;
    private final long[] deeper = new long[2 * (MAX_DEPTH - 2)];
    private int size;
    /** Tokens of all entries. */
    private int tokens;

    void clear()
    {
        size = 0;
        tokens = 0;
        newestLoose = NONE_LOOSE;
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
        if (isLateBound && (count > 1 || isLoose()))
        {
            newestLoose = step;
        }
        append(step, (long)count << COUNT_SHIFT | (long)end << 1 | (isLateBound ? 1 : 0));
        tokens += count;
    }

    private void append(final long step, final long word)
    {
        final int index = size++;
        if (index == 0)
        {
            step0 = step;
            word0 = word;
        }
        else if (index == 1)
        {
            step1 = step;
            word1 = word;
        }
        else
        {
            deeper[2 * index - 4] = step;
            deeper[2 * index - 3] = word;
        }
    }

    /** Tokens of the entries in flight: by so many the request advances, unless a start is uncertain. */
    int tokens()
    {
        return tokens;
    }

    /** Whether the next entry may start at several positions. May be true without need after a withdrawal. */
    private boolean isLoose()
    {
        return size > 0 && step0 <= newestLoose;
    }

    private long step(final int index)
    {
        return index == 0 ? step0 : index == 1 ? step1 : deeper[2 * index - 4];
    }

    private long word(final int index)
    {
        return index == 0 ? word0 : index == 1 ? word1 : deeper[2 * index - 3];
    }

    private int count(final int index)
    {
        return (int)(word(index) >>> COUNT_SHIFT);
    }

    private int end(final int index)
    {
        return (int)word(index) >>> 1;
    }

    private boolean isLateBound(final int index)
    {
        return (word(index) & 1) != 0;
    }

    /** The oldest entry has landed. */
    void landed(final long step)
    {
        if (size == 0 || step0 != step)
        {
            throw new InvariantViolation("an entry of step " + step + " landed, but the oldest entry in flight is of step " +
                (size == 0 ? "none" : Long.toString(step0)));
        }
        tokens -= count(0);
        if (--size > 0)
        {
            step0 = step1;
            word0 = word1;
        }
        if (size > 1)
        {
            step1 = deeper[0];
            word1 = deeper[1];
            deeper[0] = deeper[2];
            deeper[1] = deeper[3];
        }
    }

    /** Entries of this step and of later ones will never land; returns whether there were any. */
    boolean withdraw(final long fromStep)
    {
        final int before = size;
        while (size > 0 && newestStep() >= fromStep)
        {
            tokens -= count(--size);
        }
        return size < before;
    }

    /** Lowest position at which the next entry can start. */
    int lowest(final int computedTokens)
    {
        return isLoose() ? lowestOfSeveral(computedTokens) : computedTokens + tokens;
    }

    private int lowestOfSeveral(final int computedTokens)
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
        return isLoose() ? highestOfSeveral(computedTokens) : computedTokens + tokens;
    }

    private int highestOfSeveral(final int computedTokens)
    {
        int high = computedTokens;
        for (int i = 0; i < size; i++)
        {
            high = isLateBound(i) ? Math.max(high, Math.min(high + count(i), end(i))) : high + count(i);
        }
        return high;
    }

    /** Changes with every entry. */
    final long flightDigest()
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
