// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.engine.ring;

import io.signalbox.engine.SignalboxEngine;

/** A ring that knows the engine. */
final class BadRing
{
    private final SignalboxEngine above;

    BadRing(final SignalboxEngine above)
    {
        this.above = above;
    }

    boolean same(final Object other)
    {
        return above.equals(other);
    }
}
