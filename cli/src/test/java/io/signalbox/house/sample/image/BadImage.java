// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.image;

import io.signalbox.engine.Engine;

/** An image that holds the engine around the scheduler. */
final class BadImage
{
    private BadImage()
    {
    }

    static void write(final Engine engine)
    {
        engine.close();
    }
}
