// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.whatif;

import io.signalbox.engine.ring.Waits;

/** A what-if that knows how the engine waits. */
final class BadQuestion
{
    private final Waits other;

    BadQuestion(final Waits other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
