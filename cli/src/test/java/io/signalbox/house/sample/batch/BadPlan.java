// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.batch;

import io.signalbox.scheduler.SchedulerConfig;

/** A planner that asks the state machine. */
final class BadPlan
{
    int blocks(final SchedulerConfig config)
    {
        return config.kvBlocks();
    }
}
