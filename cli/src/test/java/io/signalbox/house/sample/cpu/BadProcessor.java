// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.cpu;

import io.signalbox.sim.SimulationConfig;

/** A CPU backend that takes as long as the simulator says. */
final class BadProcessor
{
    long stepNanos(final SimulationConfig config)
    {
        return config.stepCost().baseNanos();
    }
}
