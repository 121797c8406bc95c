// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.snapshot;

import io.signalbox.ConfigException;
import io.signalbox.batch.QueueOrder;
import io.signalbox.config.Setting;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.StateShape;

import java.util.Map;

/** Reads the settings that a fold needs from a run description. The run's router need not be installed. */
public final class StateShapes
{
    private StateShapes()
    {
    }

    /** @throws ConfigException if the description names no scheduler. */
    public static StateShape of(final Map<String, String> settings)
    {
        return new StateShape(
            read(SchedulerConfig.RANKS, settings),
            read(SchedulerConfig.KV_BLOCKS, settings),
            read(SchedulerConfig.BLOCK_SIZE_TOKENS, settings),
            read(SchedulerConfig.PREFIX_CACHING, settings) &&
                read(SchedulerConfig.EVICTION_POLICY, settings) == EvictionPolicy.LRU,
            read(BatchSettings.QUEUE_ORDER, settings) == QueueOrder.FIRST_COME,
            read(SchedulerConfig.CAPTURE, settings));
    }

    private static <T> T read(final Setting<T> setting, final Map<String, String> settings)
    {
        return setting.read(SchedulerConfig.PREFIX, settings);
    }
}
