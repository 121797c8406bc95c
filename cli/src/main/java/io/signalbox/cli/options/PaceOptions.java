// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;
import picocli.CommandLine.Option;

/** The pace and the answers of simulated ranks that serve clients. */
public final class PaceOptions
{
    @Option(names = "--time-scale", paramLabel = "FACTOR",
        description = "Serve FACTOR times as fast as the costs of the simulated ranks (default: ${DEFAULT-VALUE}).")
    private double timeScale = PacedBackend.TIME_SCALE.defaultValue();

    @Option(names = "--mean-answer-tokens", paramLabel = "N",
        description = "End answers by themselves after N tokens on average; 0: only limits end them " +
            "(default: ${DEFAULT-VALUE}).")
    private int meanAnswerTokens = PacedBackend.MEAN_ANSWER_TOKENS.defaultValue();

    /** @throws io.signalbox.ConfigException if a value is not allowed. */
    public PacedBackend backend(final SimulationConfig costs, final SchedulerConfig scheduler)
    {
        return new PacedBackend(costs, scheduler, timeScale, meanAnswerTokens);
    }
}
