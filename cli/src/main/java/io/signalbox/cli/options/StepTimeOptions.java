// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.config.Setting;
import io.signalbox.sim.StepCost;

import java.util.List;

/** Costs of the steps of re-runs in the place of recorded or fitted ones. */
public final class StepTimeOptions implements SettingGroup
{
    private final SettingOptions costs = SettingOptions.of(StepCost.SETTINGS)
        .defaultsInWords("as recorded, or fitted to the journal's steps");

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(costs);
    }

    public boolean isGiven()
    {
        return !costs.given().isEmpty();
    }

    /** These costs with those that are given. */
    public StepCost change(final StepCost cost)
    {
        return new StepCost(
            either(StepCost.BASE_NANOS, cost.baseNanos()),
            either(StepCost.PER_PREFILL_TOKEN_NANOS, cost.perPrefillTokenNanos()),
            either(StepCost.PER_DECODE_ENTRY_NANOS, cost.perDecodeEntryNanos()),
            either(StepCost.PER_CONTEXT_TOKEN_PICOS, cost.perContextTokenPicos()));
    }

    private long either(final Setting<Long> setting, final long otherwise)
    {
        return costs.isGiven(setting) ? costs.get(setting) : otherwise;
    }
}
