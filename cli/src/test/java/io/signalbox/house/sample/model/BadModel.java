// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.model;

import io.signalbox.sim.SimulationConfig;

/** A model whose weights depend on the simulator's settings. */
final class BadModel
{
    long seed(final SimulationConfig config)
    {
        return config.stepCost().baseNanos();
    }
}
