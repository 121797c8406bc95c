// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.scheduler;

import io.signalbox.backend.Backend;
import io.signalbox.house.sample.kv.BadUpwards;
import io.signalbox.sim.SimulationConfig;
import org.slf4j.LoggerFactory;

/** A scheduler that calls the backend itself, knows the simulator, and logs. */
public final class BadShell
{
    BadUpwards pool(final BadUpwards pool)
    {
        return pool;
    }

    Object look(final Backend backend, final SimulationConfig config)
    {
        LoggerFactory.getLogger("sample").info(config.toString());
        return backend.capabilities();
    }
}
