// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import picocli.CommandLine.Option;

/** How long the simulated ranks take, and which experts they choose. */
final class CostOptions
{
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

    SimulationConfig config(final long seed)
    {
        return new SimulationConfig(
            seed,
            new StepCost(baseNanos, perPrefillTokenNanos, perDecodeRowNanos, perContextTokenPicos),
            new D2hDelay(d2hBaseNanos, d2hPerRowPicos, d2hJitterNanos),
            expertSkew);
    }
}
