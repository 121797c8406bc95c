// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.List;
import java.util.Map;

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
    public static final Setting<Long> SEED =
        Setting.number("seed", "", 1, Long.MIN_VALUE, Long.MAX_VALUE, "Seed of the starts of plays.");
    public static final Setting<Integer> CONCURRENT_PLAYS = Setting.integer("concurrentPlays", "plays", 0, 0,
        Integer.MAX_VALUE, "Plays that run at a time, the next one starting when one has ended; 0: all of them.")
        .option("--plays", "N",
            "Run N plays of an agent trace at a time; the next starts when one ends; 0: all");
    public static final Setting<Long> MEAN_STAGGER_NANOS = VirtualTime.mean("meanStaggerNanos", 5_000_000_000L,
        "Mean of the exponentially distributed gaps between the first starts; 0: all at once.")
        .option("--stagger", "SECONDS", "Start the first plays with this mean gap").optionInSeconds();
    public static final Setting<Long> MAX_THINK_TIME_NANOS = Setting.number("maxThinkTimeNanos", "ns", Long.MAX_VALUE, 0,
        Long.MAX_VALUE, "Pauses of clients that are longer count as this.").remedy("give 0 or more")
        .option("--max-think-time", "SECONDS", "Shorten longer pauses within a play to this").optionInSeconds();
    public static final Setting<Boolean> SHARED_PROMPTS = Setting.flag("sharedPrompts", true,
        "Whether plays, and sub-agents, with tools and system prompts of equal sizes share them.")
        .option("--shared-prompts", "Share prompts between plays whose tools and system prompts have equal sizes")
        .formerly("!--separate-plays");
    public static final List<Setting<?>> SETTINGS =
        List.of(SEED, CONCURRENT_PLAYS, MEAN_STAGGER_NANOS, MAX_THINK_TIME_NANOS, SHARED_PROMPTS);

    /** Every play, five seconds apart on average, with the pauses as recorded. */
    public static final AgentTraceConfig DEFAULT = new AgentTraceConfig(SEED.defaultValue(), CONCURRENT_PLAYS.defaultValue(),
        MEAN_STAGGER_NANOS.defaultValue(), MAX_THINK_TIME_NANOS.defaultValue(), SHARED_PROMPTS.defaultValue());

    public AgentTraceConfig
    {
        CONCURRENT_PLAYS.check(concurrentPlays);
        MEAN_STAGGER_NANOS.check(meanStaggerNanos);
        MAX_THINK_TIME_NANOS.check(maxThinkTimeNanos);
    }

    /** Name and value of every setting, sorted by name. */
    Map<String, String> settings()
    {
        return SettingValues.defaults("the agent trace", SETTINGS)
            .with(SEED, seed)
            .with(CONCURRENT_PLAYS, concurrentPlays)
            .with(MEAN_STAGGER_NANOS, meanStaggerNanos)
            .with(MAX_THINK_TIME_NANOS, maxThinkTimeNanos)
            .with(SHARED_PROMPTS, sharedPrompts)
            .print("workload.");
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
