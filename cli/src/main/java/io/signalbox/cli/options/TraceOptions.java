// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.workload.AgentTraceConfig;
import io.signalbox.workload.Arrivals;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The schedule of the plays of an agent trace. */
class TraceOptions
{
    @Option(names = "--plays", paramLabel = "N",
        description = "Run N plays of an agent trace at a time; the next starts when one ends (default: all).")
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
        if (plays != null && plays < 1)
        {
            throw new ConfigException("--plays=" + plays + " leaves nothing to run; let at least 1 play run at a time.");
        }
        if (plays != null && plays == 1 && staggerSeconds != null)
        {
            throw new ConfigException(
                "--stagger spreads the first plays, and --plays=1 starts one at a time; leave it out, or change the other.");
        }
        config = plays == null ? config : config.withConcurrentPlays(plays);
        config = staggerSeconds == null ? config : config.withMeanStaggerNanos(nanos("--stagger", staggerSeconds));
        return maxThinkTimeSeconds == null ? config :
            config.withMaxThinkTimeNanos(nanos("--max-think-time", maxThinkTimeSeconds));
    }

    static long nanos(final String option, final double seconds)
    {
        if (!(seconds >= 0.0 && seconds <= 1e6))
        {
            throw new ConfigException(option + "=" + seconds + " is not between 0 and 1e6 seconds; give a time.");
        }
        return (long)(seconds * Arrivals.NANOS_PER_SECOND);
    }
}
