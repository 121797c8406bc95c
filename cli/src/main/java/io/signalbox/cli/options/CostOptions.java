// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.printing.OutputFile;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;

/** The durations of simulated steps, the experts that they choose, and the faults that befall them. */
public final class CostOptions
{
    private static final Map<String, String> STEP_OPTIONS = Map.of(
        "step cost baseNanos", "--step-base-nanos",
        "step cost perPrefillTokenNanos", "--prefill-token-nanos",
        "step cost perDecodeRowNanos", "--decode-row-nanos",
        "step cost perContextTokenPicos", "--context-token-picos");
    private static final Map<String, String> D2H_OPTIONS = Map.of(
        "D2H delay baseNanos", "--d2h-base-nanos",
        "D2H delay perRowPicos", "--d2h-row-picos",
        "D2H delay jitterNanos", "--d2h-jitter-nanos");

    private static final Map<String, String> COST_OPTIONS = Map.of(
        "perPrefillTokenNanos", "--prefill-token-nanos",
        "perDecodeRowNanos", "--decode-row-nanos",
        "perContextTokenPicos", "--context-token-picos");

    @Option(names = "--step-base-nanos", paramLabel = "NS",
        description = "Charge a step without entries NS (default: ${DEFAULT-VALUE}).")
    private long baseNanos = StepCost.DEFAULT.baseNanos();

    @Option(names = "--prefill-token-nanos", paramLabel = "NS",
        description = "Add NS per prefill token (default: ${DEFAULT-VALUE}).")
    private long perPrefillTokenNanos = StepCost.DEFAULT.perPrefillTokenNanos();

    @Option(names = "--decode-row-nanos", paramLabel = "NS",
        description = "Add NS per decoding request (default: ${DEFAULT-VALUE}).")
    private long perDecodeRowNanos = StepCost.DEFAULT.perDecodeRowNanos();

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

    @Option(names = "--faults", paramLabel = "PLAN",
        description = "Let ranks misbehave: a plan such as 'rank 2 step 40 lost back-after 2s' or " +
            "'dropped=0.001,late=0.01', or a file with one (default: nothing goes wrong).")
    private String faults;

    /** Returns the result of {@code running}; its refusals name the options of costs. */
    public static <T> T translate(final Supplier<T> running)
    {
        return OptionNames.translate(COST_OPTIONS, running);
    }

    public SimulationConfig config(final long seed)
    {
        final StepCost stepCost = OptionNames.translate(STEP_OPTIONS,
            () -> new StepCost(baseNanos, perPrefillTokenNanos, perDecodeRowNanos, perContextTokenPicos));
        final D2hDelay d2hDelay = OptionNames.translate(D2H_OPTIONS,
            () -> new D2hDelay(d2hBaseNanos, d2hPerRowPicos, d2hJitterNanos));
        if (!(expertSkew >= 0.0 && expertSkew <= 5.0))
        {
            throw new ConfigException(
                "--expert-skew=" + expertSkew + " is not between 0 and 5; give the exponent of the popularity.");
        }
        return new SimulationConfig(seed, stepCost, d2hDelay, expertSkew, FaultPlanOption.read(faults));
    }

    /** @throws ConfigException when the file of an output option is that of the fault plan. */
    public void requireNotRead(final String option, final Path file)
    {
        final Path plan = FaultPlanOption.file(faults);
        if (plan != null)
        {
            OutputFile.requireOtherThan(option, file, "--faults", plan);
        }
    }
}
