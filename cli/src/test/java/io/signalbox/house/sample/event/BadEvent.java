// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.event;

import io.signalbox.engine.Engine;

/** An event that knows who carries it. */
final class BadEvent
{
    private final Engine engine;

    BadEvent(final Engine engine)
    {
        this.engine = engine;
    }

    Engine engine()
    {
        return engine;
    }
}
