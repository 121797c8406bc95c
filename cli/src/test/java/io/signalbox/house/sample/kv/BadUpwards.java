// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.kv;

import io.signalbox.house.sample.scheduler.BadShell;
import io.signalbox.scheduler.SchedulerConfig;

/** A block pool that asks the scheduler, which in turn asks the block pool. */
public final class BadUpwards
{
    BadShell shell(final BadShell shell)
    {
        return shell;
    }

    int size(final SchedulerConfig config)
    {
        return config.kvBlocks();
    }
}
