// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.plugin;

import io.signalbox.scheduler.SchedulerConfig;

/** A loader of routers that reads the scheduler's settings. */
final class BadPlugin
{
    int blocks(final SchedulerConfig config)
    {
        return config.kvBlocks();
    }
}
