// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

/**
 * How recorded plays are put on a scheduler.
 *
 * @param seed              of the starts of plays.
 * @param concurrentPlays   plays that run at a time, the next one starting when one has ended; 0: all of them.
 * @param meanStaggerNanos  mean of the exponentially distributed gaps between the first starts; 0: all at once.
 * @param maxThinkTimeNanos pauses of clients that are longer count as this; 0 or more.
 * @param sharedPrompts     whether plays, and sub-agents, with tools and system prompts of equal sizes share them. An
 *                          assumption: the format's block ids are those of one play and cannot say so.
 */
public record AgentTraceConfig(
    long seed, int concurrentPlays, long meanStaggerNanos, long maxThinkTimeNanos, boolean sharedPrompts)
{
    /** Every play, five seconds apart on average, with the pauses as recorded. */
    public static final AgentTraceConfig DEFAULT = new AgentTraceConfig(1, 0, 5_000_000_000L, Long.MAX_VALUE, true);

    public AgentTraceConfig
    {
        if (concurrentPlays < 0 || maxThinkTimeNanos < 0)
        {
            throw new ConfigException("concurrentPlays=" + concurrentPlays + ", maxThinkTimeNanos=" + maxThinkTimeNanos +
                ": none of them may be negative; give 0 or more.");
        }
        VirtualTime.checkMean("meanStaggerNanos", meanStaggerNanos);
    }

    public AgentTraceConfig withSeed(final long value)
    {
        return new AgentTraceConfig(value, concurrentPlays, meanStaggerNanos, maxThinkTimeNanos, sharedPrompts);
    }

    public AgentTraceConfig withConcurrentPlays(final int value)
    {
        return new AgentTraceConfig(seed, value, meanStaggerNanos, maxThinkTimeNanos, sharedPrompts);
    }

    public AgentTraceConfig withMeanStaggerNanos(final long value)
    {
        return new AgentTraceConfig(seed, concurrentPlays, value, maxThinkTimeNanos, sharedPrompts);
    }

    public AgentTraceConfig withMaxThinkTimeNanos(final long value)
    {
        return new AgentTraceConfig(seed, concurrentPlays, meanStaggerNanos, value, sharedPrompts);
    }

    public AgentTraceConfig withSharedPrompts(final boolean value)
    {
        return new AgentTraceConfig(seed, concurrentPlays, meanStaggerNanos, maxThinkTimeNanos, value);
    }
}
