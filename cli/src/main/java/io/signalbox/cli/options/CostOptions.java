// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.HeapShortage;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import io.signalbox.sim.WeightsPlan;
import io.signalbox.workload.AcceptanceSeries;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
import java.util.List;

/** The durations of simulated steps, the tokens and experts that they choose, and the faults that happen to them. */
public final class CostOptions implements SettingGroup
{
    private static final String ACCEPTANCE_FILE = "--draft-acceptance-file";

    @Option(names = ACCEPTANCE_FILE, paramLabel = "FILE",
        description = "Accept draft tokens as FILE says instead: JSONL, plain or gzipped, a request per line with the " +
            "counts of its steps, such as {\"accepted\": [3, 0, 2]}.")
    @InputPath
    private Path acceptanceFile;

    @Option(names = "--faults", paramLabel = "PLAN",
        description = "Let ranks misbehave: a plan such as 'rank 2 step 40 lost back-after 2s' or " +
            "'dropped=0.001,late=0.01', or a file with one (default: nothing goes wrong).")
    @InputPath(FaultPlanOption.PlanFile.class)
    private String faults;

    @Option(names = "--new-weights", paramLabel = "WAY@TIME",
        description = "Replace the weights at TIME; requests that have begun continue with the new ones, abort, " +
            "are computed again (requeue), or end before (drain): such as 'continue@10s' or 'abort@5s,drain@7500ms' " +
            "(default: the weights stay).")
    private String newWeights;

    private final SettingOptions costs = SettingOptions.of(SimulationConfig.SETTINGS).without(SimulationConfig.SEED);

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(costs);
    }

    /** @throws ConfigException if an option has no effect next to the others. */
    public void refuseIdle(final ParseResult given)
    {
        if (acceptanceFile != null)
        {
            IdleOptions.refuse(given, "--draft-acceptance", "is a choice that " + ACCEPTANCE_FILE + " makes");
        }
        if (given.matchedOptionValue(SchedulerConfig.DRAFT_TOKENS.option().name(), 0) == 0)
        {
            IdleOptions.refuse(given, ACCEPTANCE_FILE, "is for draft tokens, and --draft-tokens gives none");
        }
    }

    private WeightsPlan newWeights()
    {
        try
        {
            return newWeights == null ? null : WeightsPlan.parse(newWeights);
        }
        catch (final ConfigException e)
        {
            throw e.at("--new-weights");
        }
    }

    private AcceptanceSeries acceptanceSeries()
    {
        if (acceptanceFile == null)
        {
            return null;
        }
        if (acceptanceFile.toString().isEmpty())
        {
            throw new ConfigException(
                ACCEPTANCE_FILE + " is empty; give the path of a JSONL file, or leave the option out.");
        }
        return HeapShortage.named("the series of accepted drafts " + acceptanceFile, "give a smaller file",
            () -> AcceptanceSeries.read(acceptanceFile));
    }

    public SimulationConfig config(final long seed)
    {
        final StepCost step = new StepCost(costs.get(StepCost.BASE_NANOS), costs.get(StepCost.PER_PREFILL_TOKEN_NANOS),
            costs.get(StepCost.PER_DECODE_ENTRY_NANOS), costs.get(StepCost.PER_CONTEXT_TOKEN_PICOS));
        final D2hDelay delay = new D2hDelay(
            costs.get(D2hDelay.BASE_NANOS), costs.get(D2hDelay.PER_ROW_PICOS), costs.get(D2hDelay.JITTER_NANOS));
        return SimulationConfig.DEFAULT.withSeed(seed).withStepCost(step).withD2hDelay(delay)
            .withExpertSkew(costs.get(SimulationConfig.EXPERT_SKEW))
            .withDraftAcceptance(costs.get(SimulationConfig.DRAFT_ACCEPTANCE))
            .withAcceptanceSeries(acceptanceSeries())
            .withFaults(FaultPlanOption.read(faults))
            .withNewWeights(newWeights());
    }
}
