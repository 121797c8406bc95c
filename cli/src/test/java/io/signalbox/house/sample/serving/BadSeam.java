// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.serving;

import io.signalbox.sim.SimulationConfig;

/** A seam for backends that knows how long the simulator takes. */
final class BadSeam
{
    long stepNanos(final SimulationConfig config)
    {
        return config.stepCost().baseNanos();
    }
}
