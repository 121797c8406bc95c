// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.engine.step;

import io.signalbox.engine.SignalboxEngine;

/** A step that knows the engine. */
final class BadStep
{
    private final SignalboxEngine above;

    BadStep(final SignalboxEngine above)
    {
        this.above = above;
    }

    boolean same(final Object other)
    {
        return above.equals(other);
    }
}
