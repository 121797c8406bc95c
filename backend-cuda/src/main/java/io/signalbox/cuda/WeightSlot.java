// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import java.util.concurrent.atomic.AtomicInteger;

/** A set of weights on every device of a backend, and the number of steps in flight that compute with it. */
final class WeightSlot
{
    private final int index;
    private final AtomicInteger steps = new AtomicInteger();

    WeightSlot(final int index)
    {
        this.index = index;
    }

    /** Index of the set, from 0. */
    int index()
    {
        return index;
    }

    /** Called by the submitting thread. */
    void begin()
    {
        steps.incrementAndGet();
    }

    /** Called by the thread of the rank when the device no longer reads weights for the step. */
    void end()
    {
        steps.decrementAndGet();
    }

    boolean isIdle()
    {
        return steps.get() == 0;
    }
}
