// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.engine.request;

import io.signalbox.engine.SignalboxEngine;

/** A live request that knows the engine. */
final class BadRequest
{
    private final SignalboxEngine above;

    BadRequest(final SignalboxEngine above)
    {
        this.above = above;
    }

    boolean same(final Object other)
    {
        return above.equals(other);
    }
}
