// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.HeapShortage;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import io.signalbox.sim.WeightsPlan;
import io.signalbox.workload.AcceptanceSeries;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The durations of simulated steps, the tokens and experts that they choose, and the faults that happen to them. */
public final class CostOptions
{
    private static final String ACCEPTANCE_FILE = "--draft-acceptance-file";

    @Option(names = "--step-base-nanos", paramLabel = "NS",
        description = "Charge a step without entries NS (default: ${DEFAULT-VALUE}).")
    private long baseNanos = StepCost.DEFAULT.baseNanos();

    @Option(names = "--prefill-token-nanos", paramLabel = "NS",
        description = "Add NS per prefill token (default: ${DEFAULT-VALUE}).")
    private long perPrefillTokenNanos = StepCost.DEFAULT.perPrefillTokenNanos();

    @Option(names = "--decode-entry-nanos", paramLabel = "NS",
        description = "Add NS per decoding request (default: ${DEFAULT-VALUE}).")
    private long perDecodeEntryNanos = StepCost.DEFAULT.perDecodeEntryNanos();

    @Option(names = "--context-token-picos", paramLabel = "PS",
        description = "Add PS picoseconds per context token that a decoding request reads (default: ${DEFAULT-VALUE}).")
    private long perContextTokenPicos = StepCost.DEFAULT.perContextTokenPicos();

    @Option(names = "--d2h-base-nanos", paramLabel = "NS",
        description = "Deliver the results of a step to the host NS after its end (default: ${DEFAULT-VALUE}).")
    private long d2hBaseNanos = D2hDelay.DEFAULT.baseNanos();

    @Option(names = "--d2h-row-picos", paramLabel = "PS",
        description = "Add PS picoseconds to that per routed-expert row (default: ${DEFAULT-VALUE}).")
    private long d2hPerRowPicos = D2hDelay.DEFAULT.perRowPicos();

    @Option(names = "--d2h-jitter-nanos", paramLabel = "NS",
        description = "Add seeded jitter below NS to that (default: ${DEFAULT-VALUE}).")
    private long d2hJitterNanos = D2hDelay.DEFAULT.jitterNanos();

    @Option(names = "--expert-skew", paramLabel = "EXPONENT",
        description = "Draw experts with this Zipf exponent; 0: all alike (default: ${DEFAULT-VALUE}).")
    private double expertSkew = SimulationConfig.DEFAULT.expertSkew();

    @Option(names = "--draft-acceptance", paramLabel = "PROBABILITY",
        description = "Accept a draft token with this probability if those before it are right (default: ${DEFAULT-VALUE}).")
    private double draftAcceptance = SimulationConfig.DEFAULT.draftAcceptance();

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
        description = "Replace the weights at TIME; requests that have begun finish with the new ones, abort, or are " +
            "computed anew (requeue): such as 'finish@10s' or 'abort@5s,requeue@7500ms' (default: the weights stay).")
    private String newWeights;

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
        return SimulationConfig.DEFAULT.withSeed(seed)
            .withStepCost(new StepCost(baseNanos, perPrefillTokenNanos, perDecodeEntryNanos, perContextTokenPicos))
            .withD2hDelay(new D2hDelay(d2hBaseNanos, d2hPerRowPicos, d2hJitterNanos))
            .withExpertSkew(expertSkew)
            .withDraftAcceptance(draftAcceptance)
            .withAcceptanceSeries(acceptanceSeries())
            .withFaults(FaultPlanOption.read(faults))
            .withNewWeights(newWeights());
    }
}
