// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.ConfigException;
import io.signalbox.scheduler.SchedulerConfig;

/**
 * Settings under which a recorded run is re-run.
 *
 * @param name   not blank; no two variants of a question have the same.
 * @param config routed experts are not captured, whatever it says: no decision depends on them.
 */
public record Variant(String name, SchedulerConfig config)
{
    public Variant
    {
        if (name == null || name.isBlank())
        {
            throw new ConfigException("a variant has no name; give it one.");
        }
    }
}
