// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.cuda;

import io.signalbox.sim.SimulationConfig;

/** A GPU backend that falls back to the simulator's timings. */
final class BadGpu
{
    long stepNanos(final SimulationConfig config)
    {
        return config.stepCost().baseNanos();
    }
}
