// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.config.DoubleText;
import io.signalbox.config.Setting;
import io.signalbox.workload.AgentTraceConfig;
import io.signalbox.workload.Arrivals;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The schedule of the plays of an agent trace. */
class TraceOptions
{
    @Option(names = "--plays", paramLabel = "N",
        description = "Run N plays of an agent trace at a time; the next starts when one ends; 0: all (default: 0).")
    private Integer plays;

    @Option(names = "--stagger", paramLabel = "SECONDS",
        description = "Start the first plays with this mean gap (default: 5.0).")
    private Double staggerSeconds;

    @Option(names = "--max-think-time", paramLabel = "SECONDS",
        description = "Shorten longer pauses within a play to this (default: as recorded).")
    private Double maxThinkTimeSeconds;

    @Option(names = "--separate-plays",
        description = "Share nothing between plays whose tools and system prompts have equal sizes.")
    private boolean separatePlays;

    /** @param trace another kind of trace, for which these options have no meaning. */
    final void refuseFor(final Path trace)
    {
        if (isGiven())
        {
            throw new ConfigException("--plays, --stagger, --max-think-time and --separate-plays are for traces of agent " +
                "plays, and " + trace + " is none; leave them out.");
        }
    }

    final boolean isGiven()
    {
        return plays != null || staggerSeconds != null || maxThinkTimeSeconds != null || separatePlays;
    }

    final AgentTraceConfig agentConfig(final long seed)
    {
        AgentTraceConfig config = AgentTraceConfig.DEFAULT.withSeed(seed).withSharedPrompts(!separatePlays);
        if (plays != null && plays == 1 && staggerSeconds != null)
        {
            throw new ConfigException(
                "--stagger spreads the first plays, and --plays=1 starts one at a time; leave it out, or change the other.");
        }
        config = plays == null ? config : config.withConcurrentPlays(plays);
        config = staggerSeconds == null ? config :
            config.withMeanStaggerNanos(nanos(AgentTraceConfig.MEAN_STAGGER_NANOS, staggerSeconds));
        return maxThinkTimeSeconds == null ? config :
            config.withMaxThinkTimeNanos(nanos(AgentTraceConfig.MAX_THINK_TIME_NANOS, maxThinkTimeSeconds));
    }

    /** @throws ConfigException in seconds, with the range of the setting. */
    static long nanos(final Setting<Long> setting, final double seconds)
    {
        final long nanos = (long)(seconds * Arrivals.NANOS_PER_SECOND);
        try
        {
            return setting.check(nanos);
        }
        catch (final ConfigException e)
        {
            throw ConfigException.of(
                setting.name(), DoubleText.of(seconds) + " s", e.allowed() + " " + setting.unit(), setting.advice());
        }
    }
}
