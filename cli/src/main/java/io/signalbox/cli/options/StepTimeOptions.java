// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.cost.CostFile;
import io.signalbox.sim.StepCost;
import io.signalbox.whatif.WhatIf;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;

/** Costs of the steps of re-runs in the place of recorded or fitted ones. */
public final class StepTimeOptions implements SettingGroup
{
    private final SettingOptions costs = SettingOptions.of(StepCost.SETTINGS)
        .defaultsInWords("as recorded, or fitted to the journal's steps");

    @Option(names = "--cost", paramLabel = "FILE",
        description = "Let steps take as long as FILE says, which 'signalbox calibrate' wrote.")
    @InputPath
    private Path costFile;

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(costs);
    }

    /** The step cost of the file; {@code null} if none is given. */
    public CostFile file()
    {
        if (costFile == null)
        {
            return null;
        }
        if (!costs.given().isEmpty())
        {
            throw new ConfigException("--cost gives the time of a step, and so does " +
                costs.given().get(0).option().name() + "; give one of them.");
        }
        return CostFile.read(costFile);
    }

    /** The question with the costs that are given one by one. */
    public WhatIf apply(final WhatIf question)
    {
        return costs.given().isEmpty() ? question : question.withStepCost(change(question.stepCost()));
    }

    /** These costs with those that are given. */
    private StepCost change(final StepCost cost)
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
