// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import picocli.CommandLine.Option;

import java.util.Map;
import java.util.function.Supplier;

/** How long the simulated ranks take, and which experts they choose. */
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

    @Option(names = "--step-base-nanos", paramLabel = "NS", description = "A step without rows (default: ${DEFAULT-VALUE}).")
    private long baseNanos = StepCost.DEFAULT.baseNanos();

    @Option(names = "--prefill-token-nanos", paramLabel = "NS",
        description = "Per token of a prefill row (default: ${DEFAULT-VALUE}).")
    private long perPrefillTokenNanos = StepCost.DEFAULT.perPrefillTokenNanos();

    @Option(names = "--decode-row-nanos", paramLabel = "NS", description = "Per decode row (default: ${DEFAULT-VALUE}).")
    private long perDecodeRowNanos = StepCost.DEFAULT.perDecodeRowNanos();

    @Option(names = "--context-token-picos", paramLabel = "PS",
        description = "Picoseconds per token of context that a decode row reads (default: ${DEFAULT-VALUE}).")
    private long perContextTokenPicos = StepCost.DEFAULT.perContextTokenPicos();

    @Option(names = "--d2h-base-nanos", paramLabel = "NS",
        description = "From the end of a step to its results on the host (default: ${DEFAULT-VALUE}).")
    private long d2hBaseNanos = D2hDelay.DEFAULT.baseNanos();

    @Option(names = "--d2h-row-picos", paramLabel = "PS",
        description = "Picoseconds more per routed-expert row (default: ${DEFAULT-VALUE}).")
    private long d2hPerRowPicos = D2hDelay.DEFAULT.perRowPicos();

    @Option(names = "--d2h-jitter-nanos", paramLabel = "NS",
        description = "Seeded jitter of that time, below this bound (default: ${DEFAULT-VALUE}).")
    private long d2hJitterNanos = D2hDelay.DEFAULT.jitterNanos();

    @Option(names = "--expert-skew", paramLabel = "EXPONENT",
        description = "Zipf exponent of the experts' popularity; 0: all alike (default: ${DEFAULT-VALUE}).")
    private double expertSkew = SimulationConfig.DEFAULT.expertSkew();

    /** What {@code running} gives; its refusals name the options of costs. */
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
        return new SimulationConfig(seed, stepCost, d2hDelay, expertSkew);
    }
}
