// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import java.util.concurrent.atomic.AtomicInteger;

/** A place of weights on each device of a backend, and the number of steps in flight that compute with it. */
final class WeightSlot
{
    private final int index;
    private final AtomicInteger steps = new AtomicInteger();

    WeightSlot(final int index)
    {
        this.index = index;
    }

    /** From 0. */
    int index()
    {
        return index;
    }

    /** The thread that submits a step. */
    void begin()
    {
        steps.incrementAndGet();
    }

    /** The thread of the step's rank, once the device reads no weights for it. */
    void end()
    {
        steps.decrementAndGet();
    }

    boolean isIdle()
    {
        return steps.get() == 0;
    }
}
