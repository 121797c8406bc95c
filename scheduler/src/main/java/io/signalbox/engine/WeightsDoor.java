// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.event.EncodedInput;
import org.agrona.DirectBuffer;

/** Refuses new weights before they are sequenced: the scheduler could not undo that it has announced them. */
final class WeightsDoor
{
    private final String backend;
    private final boolean swapsWeights;

    WeightsDoor(final Backend backend)
    {
        this.backend = backend.capabilities().name();
        swapsWeights = backend.swapsWeights();
    }

    /**
     * @throws IllegalArgumentException if the input is a {@code Control NEW_WEIGHTS} that the backend cannot carry out, or
     *                                  that does not say what becomes of requests that have begun.
     */
    void check(final DirectBuffer input, final int offset, final int length)
    {
        if (!EncodedInput.isNewWeights(input, offset, length))
        {
            return;
        }
        if (EncodedInput.wayOf(input, offset) == null)
        {
            throw new IllegalArgumentException("a Control NEW_WEIGHTS does not say what becomes of the requests that " +
                "have begun; set its way to FINISH, ABORT or REQUEUE");
        }
        if (!swapsWeights)
        {
            throw new IllegalArgumentException("the backend " + backend + " cannot replace its weights while it runs; " +
                "open an engine with the new weights, or choose a backend that can");
        }
    }
}
