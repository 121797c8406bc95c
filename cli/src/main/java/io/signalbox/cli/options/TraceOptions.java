// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.workload.AgentTraceConfig;

import java.nio.file.Path;

/** The schedule of the plays of an agent trace. */
abstract class TraceOptions implements SettingGroup
{
    private static final String OPTIONS = "--plays, --stagger, --max-think-time and --shared-prompts";

    private final SettingOptions plays = SettingOptions.of(AgentTraceConfig.SETTINGS)
        .defaultInWords(AgentTraceConfig.MAX_THINK_TIME_NANOS, "as recorded");

    /** The options of the schedule. */
    final SettingOptions plays()
    {
        return plays;
    }

    /** @param trace another kind of trace, for which these options have no meaning. */
    final void refuseFor(final Path trace)
    {
        if (!plays.given().isEmpty())
        {
            throw new ConfigException(
                OPTIONS + " are for traces of agent plays, and " + trace + " is none; leave them out.");
        }
    }

    /** @throws ConfigException if an option is given and no workload is a trace of agent plays. */
    final void refuseWithoutAgents(final String option)
    {
        if (!plays.given().isEmpty())
        {
            throw new ConfigException(
                OPTIONS + " are for traces of agent plays, and " + option + " names none; leave them out.");
        }
    }

    final AgentTraceConfig agentConfig(final long seed)
    {
        final int concurrent = plays.get(AgentTraceConfig.CONCURRENT_PLAYS);
        if (concurrent == 1 && plays.isGiven(AgentTraceConfig.MEAN_STAGGER_NANOS))
        {
            throw new ConfigException(
                "--stagger spreads the first plays, and --plays=1 starts one at a time; leave it out, or change the other.");
        }
        return new AgentTraceConfig(seed, concurrent, plays.get(AgentTraceConfig.MEAN_STAGGER_NANOS),
            plays.get(AgentTraceConfig.MAX_THINK_TIME_NANOS), plays.get(AgentTraceConfig.SHARED_PROMPTS));
    }
}
