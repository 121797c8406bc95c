// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.List;
import java.util.Map;

/** The settings of {@link GeneratedWorkload}. The defaults give about 2,000 requests in 400 conversations. */
public final class GeneratedWorkloadConfig
{
    public static final Setting<Long> SEED =
        Setting.number("seed", "", 1, Long.MIN_VALUE, Long.MAX_VALUE, "Seed of all draws.");
    public static final Setting<Integer> CONVERSATIONS =
        Setting.integer("conversations", "conversations", 400, 1, 10_000_000, "Conversations of a few requests each.")
        .option("--conversations", "N", "Generate N conversations of a few requests each");
    public static final Setting<Integer> CLIENTS = Setting.integer("clients", "conversations", 0, 0, 10_000_000,
        "Conversations that are active at a time, the next one starting when one has ended; 0: they start when they " +
            "arrive.")
        .option("--clients", "N",
            "Run N conversations at a time; the next starts when one ends. 0: they start when they arrive");
    public static final Setting<Arrivals> ARRIVALS = Setting.form("arrivals", "", new Arrivals.Poisson(8.0),
        "poisson:RATE, bursty:RATE,CV or replayed:FILE", Arrivals::parse, Arrivals::text,
        "When conversations start; with a number of clients, when the first one of each client does.")
        .remedy("give poisson:RATE or bursty:RATE,CV or replayed:FILE, with RATE in conversations per second")
        .option("--arrivals", "KIND", "Start conversations by poisson:RATE, bursty:RATE,CV (conversations per second, " +
            "coefficient of variation) or replayed:FILE (times of a trace)")
        .namesFile(text -> text.startsWith(Arrivals.REPLAYED) ? text.substring(Arrivals.REPLAYED.length()) : null);
    public static final Setting<Integer> SYSTEM_PROMPT_TOKENS = Setting.integer("systemPromptTokens", "tokens", 512, 0,
        SizeDistribution.MAX_SIZE, "Tokens that every prompt starts with.")
        .option("--system-prompt", "TOKENS", "Start every generated prompt with this many shared tokens");
    public static final Setting<SizeDistribution> TURNS =
        sizes("turns", "turns", new SizeDistribution.Lognormal(4.0, 0.7, 1, 32), "Turns per conversation.")
        .option("--turns", "SIZES",
            "Draw turns per conversation: lognormal:MEDIAN,SIGMA,MIN,MAX, zipf:EXPONENT,MIN,MAX, " +
            "uniform:MIN,MAX or fixed:N");
    public static final Setting<SizeDistribution> USER_TOKENS =
        sizes("userTokens", "tokens", new SizeDistribution.Lognormal(200.0, 1.0, 8, 4096), "New user text per turn.")
        .option("--user-tokens", "SIZES", "Draw new prompt tokens per turn");
    public static final Setting<SizeDistribution> OUTPUT_TOKENS = sizes(
        "outputTokens", "tokens", new SizeDistribution.Lognormal(150.0, 0.8, 4, 1024), "Generated tokens per turn.")
        .option("--output-tokens", "SIZES", "Draw output tokens per turn");
    public static final Setting<Long> MEAN_THINK_TIME_NANOS = VirtualTime.mean("meanThinkTimeNanos", 5_000_000_000L,
        "Mean of the exponentially distributed pause before a follow-up turn.")
        .option("--think-time", "SECONDS", "Pause this long on average before the next turn").optionInSeconds();
    public static final Setting<Integer> MAX_CONTEXT_TOKENS = Setting.integer("maxContextTokens", "tokens", 32_768, 2,
        SizeDistribution.MAX_SIZE, "A conversation ends before the turn whose prompt and output would pass this.")
        .option("--max-context", "TOKENS", "End a conversation before its context passes this");
    public static final List<Setting<?>> SETTINGS = List.of(SEED, CONVERSATIONS, CLIENTS, ARRIVALS, SYSTEM_PROMPT_TOKENS,
        TURNS, USER_TOKENS, OUTPUT_TOKENS, MEAN_THINK_TIME_NANOS, MAX_CONTEXT_TOKENS);

    private final SettingValues values;

    private GeneratedWorkloadConfig(final SettingValues values)
    {
        this.values = values;
    }

    private static Setting<SizeDistribution> sizes(
        final String name, final String unit, final SizeDistribution defaultValue, final String meaning)
    {
        return Setting.form(name, unit, defaultValue, "lognormal:MEDIAN,SIGMA,MIN,MAX, " +
            "zipf:EXPONENT,MIN,MAX, uniform:MIN,MAX or fixed:VALUE",
            SizeDistribution::parse, SizeDistribution::text, meaning);
    }

    public static Builder builder()
    {
        return new Builder();
    }

    public long seed()
    {
        return values.get(SEED);
    }

    public int conversations()
    {
        return values.get(CONVERSATIONS);
    }

    /** Conversations that are active at a time, the next one starting when one has ended; 0: they start when they arrive. */
    public int clients()
    {
        return values.get(CLIENTS);
    }

    /** When conversations start; with a number of clients, when the first one of each client does. */
    public Arrivals arrivals()
    {
        return values.get(ARRIVALS);
    }

    /** Tokens that every prompt starts with. */
    public int systemPromptTokens()
    {
        return values.get(SYSTEM_PROMPT_TOKENS);
    }

    /** Turns per conversation. */
    public SizeDistribution turns()
    {
        return values.get(TURNS);
    }

    /** New user text per turn. */
    public SizeDistribution userTokens()
    {
        return values.get(USER_TOKENS);
    }

    /** Generated tokens per turn. */
    public SizeDistribution outputTokens()
    {
        return values.get(OUTPUT_TOKENS);
    }

    /** Mean of the exponentially distributed pause before a follow-up turn; 0 to {@link VirtualTime#MAX_MEAN_NANOS}. */
    public long meanThinkTimeNanos()
    {
        return values.get(MEAN_THINK_TIME_NANOS);
    }

    /** A conversation ends before the turn whose prompt and output would pass this. */
    public int maxContextTokens()
    {
        return values.get(MAX_CONTEXT_TOKENS);
    }

    /** Name and value of every setting, sorted by name. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = values.print("workload.");
        settings.put("workload.kind", "generated");
        return settings;
    }

    /** Collects settings, each checked when it is given. */
    public static final class Builder
    {
        private SettingValues values = SettingValues.defaults("the generated workload", SETTINGS);

        /** Sets one of {@link #SETTINGS}. */
        public <T> Builder set(final Setting<T> setting, final T value)
        {
            values = values.with(setting, value);
            return this;
        }

        public Builder seed(final long value)
        {
            return set(SEED, value);
        }

        public Builder conversations(final int value)
        {
            return set(CONVERSATIONS, value);
        }

        public Builder clients(final int value)
        {
            return set(CLIENTS, value);
        }

        public Builder arrivals(final Arrivals value)
        {
            return set(ARRIVALS, value);
        }

        public Builder systemPromptTokens(final int value)
        {
            return set(SYSTEM_PROMPT_TOKENS, value);
        }

        public Builder turns(final SizeDistribution value)
        {
            return set(TURNS, value);
        }

        public Builder userTokens(final SizeDistribution value)
        {
            return set(USER_TOKENS, value);
        }

        public Builder outputTokens(final SizeDistribution value)
        {
            return set(OUTPUT_TOKENS, value);
        }

        public Builder meanThinkTimeNanos(final long value)
        {
            return set(MEAN_THINK_TIME_NANOS, value);
        }

        public Builder maxContextTokens(final int value)
        {
            return set(MAX_CONTEXT_TOKENS, value);
        }

        public GeneratedWorkloadConfig build()
        {
            return new GeneratedWorkloadConfig(values);
        }
    }
}
