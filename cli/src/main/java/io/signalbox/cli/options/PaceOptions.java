// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;

import java.util.List;

/** The pace and the answers of simulated ranks that serve clients. */
public final class PaceOptions implements SettingGroup
{
    private final SettingOptions pace = SettingOptions.of(PacedBackend.SETTINGS);

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(pace);
    }

    /** @throws io.signalbox.ConfigException if a value is not allowed. */
    public PacedBackend backend(final SimulationConfig costs, final SchedulerConfig scheduler)
    {
        return new PacedBackend(
            costs, scheduler, pace.get(PacedBackend.TIME_SCALE), pace.get(PacedBackend.MEAN_ANSWER_TOKENS));
    }
}
