// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;

/** The steps of one rank that were launched and not yet reported, first in first out. */
final class UnreportedSteps
{
    private final long[] steps;
    private final int[] epochs;
    private int first;
    private int count;

    UnreportedSteps(final int capacity)
    {
        steps = new long[capacity];
        epochs = new int[capacity];
    }

    void add(final long step, final int epoch)
    {
        if (count == steps.length)
        {
            throw new InvariantViolation("step " + step + " was launched with " + count + " steps in flight");
        }
        final int at = (first + count) % steps.length;
        steps[at] = step;
        epochs[at] = epoch;
        count++;
    }

    int count()
    {
        return count;
    }

    /** The first one's number. */
    long step()
    {
        return steps[first];
    }

    /** The first one's epoch. */
    int epoch()
    {
        return epochs[first];
    }

    void remove()
    {
        first = (first + 1) % steps.length;
        count--;
    }
}
