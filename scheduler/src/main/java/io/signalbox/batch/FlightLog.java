// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

/**
 * The entries of one request that are in flight, in step order, and the interval in which the next one starts. The host
 * knows bounds; the device knows the exact position; each commit narrows the bounds. Nothing is ever rolled back.
 */
final class FlightLog
{
    /** Steps of one rank that may be in flight. */
    static final int MAX_DEPTH = 4;

    private final long[] steps = new long[MAX_DEPTH];
    private final int[] counts = new int[MAX_DEPTH];
    private final int[] ends = new int[MAX_DEPTH];
    private final boolean[] lateBound = new boolean[MAX_DEPTH];
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
        return steps[size - 1];
    }

    /**
     * Adds the newest entry.
     *
     * @param end         no position at or above it is computed.
     * @param isLateBound whether it advances by 1 to {@code count} tokens, which the device decides; else by {@code count}.
     */
    void add(final long step, final int count, final int end, final boolean isLateBound)
    {
        if (size == MAX_DEPTH || size > 0 && step <= steps[size - 1])
        {
            throw new InvariantViolation("an entry of step " + step + " joins " + size + " entries in flight, the newest " +
                "of step " + (size == 0 ? 0 : steps[size - 1]));
        }
        steps[size] = step;
        counts[size] = count;
        ends[size] = end;
        lateBound[size++] = isLateBound;
    }

    /** The oldest entry has landed. */
    void landed(final long step)
    {
        if (size == 0 || steps[0] != step)
        {
            throw new InvariantViolation("an entry of step " + step + " landed, but the oldest entry in flight is of step " +
                (size == 0 ? "none" : Long.toString(steps[0])));
        }
        size--;
        for (int i = 0; i < size; i++)
        {
            steps[i] = steps[i + 1];
            counts[i] = counts[i + 1];
            ends[i] = ends[i + 1];
            lateBound[i] = lateBound[i + 1];
        }
    }

    /** The first step from {@code fromStep} on that has an entry; -1 if there is none. */
    long firstFrom(final long fromStep)
    {
        int i = 0;
        while (i < size && steps[i] < fromStep)
        {
            i++;
        }
        return i == size ? -1 : steps[i];
    }

    /** Entries of this step and of later ones will never land; returns whether there were any. */
    boolean withdraw(final long fromStep)
    {
        final int before = size;
        while (size > 0 && steps[size - 1] >= fromStep)
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
            low += !lateBound[i] ? counts[i] : low < ends[i] ? 1 : 0;
        }
        return low;
    }

    /** Highest position at which the next entry can start. */
    int highest(final int computedTokens)
    {
        int high = computedTokens;
        for (int i = 0; i < size; i++)
        {
            high = lateBound[i] ? Math.max(high, Math.min(high + counts[i], ends[i])) : high + counts[i];
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
                digest, steps[i], ((long)counts[i] << 33) ^ ((long)ends[i] << 1) ^ (lateBound[i] ? 1 : 0));
        }
        return digest;
    }
}
