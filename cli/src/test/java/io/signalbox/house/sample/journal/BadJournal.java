// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.journal;

import io.signalbox.sim.SimulationConfig;

/** A journal that knows the simulator, and prints. */
final class BadJournal
{
    void print(final SimulationConfig config)
    {
        System.out.println(config);
    }
}
