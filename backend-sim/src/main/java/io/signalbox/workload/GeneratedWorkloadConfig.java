// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

import java.util.Map;
import java.util.TreeMap;

/** The settings of {@link GeneratedWorkload}. The defaults give about 2,000 requests in 400 conversations. */
public final class GeneratedWorkloadConfig
{
    private final long seed;
    private final int conversations;
    private final int clients;
    private final Arrivals arrivals;
    private final int systemPromptTokens;
    private final SizeDistribution turns;
    private final SizeDistribution userTokens;
    private final SizeDistribution outputTokens;
    private final long meanThinkTimeNanos;
    private final int maxContextTokens;

    private GeneratedWorkloadConfig(final Builder builder)
    {
        seed = builder.seed;
        conversations = inRange("conversations", builder.conversations, 1, 10_000_000);
        clients = inRange("clients", builder.clients, 0, 10_000_000);
        arrivals = builder.arrivals;
        systemPromptTokens = inRange("systemPromptTokens", builder.systemPromptTokens, 0, SizeDistribution.MAX_SIZE);
        turns = builder.turns;
        userTokens = builder.userTokens;
        outputTokens = builder.outputTokens;
        meanThinkTimeNanos = VirtualTime.checkMean("meanThinkTimeNanos", builder.meanThinkTimeNanos);
        maxContextTokens = inRange("maxContextTokens", builder.maxContextTokens, 2, SizeDistribution.MAX_SIZE);
    }

    public static Builder builder()
    {
        return new Builder();
    }

    public long seed()
    {
        return seed;
    }

    public int conversations()
    {
        return conversations;
    }

    /** Conversations that are active at a time, the next one starting when one has ended; 0: they start when they arrive. */
    public int clients()
    {
        return clients;
    }

    /** When conversations start; with a number of clients, when the first one of each client does. */
    public Arrivals arrivals()
    {
        return arrivals;
    }

    /** Tokens that every prompt starts with. */
    public int systemPromptTokens()
    {
        return systemPromptTokens;
    }

    /** Turns per conversation. */
    public SizeDistribution turns()
    {
        return turns;
    }

    /** New user text per turn. */
    public SizeDistribution userTokens()
    {
        return userTokens;
    }

    /** Generated tokens per turn. */
    public SizeDistribution outputTokens()
    {
        return outputTokens;
    }

    /** Mean of the exponentially distributed pause before a follow-up turn; 0 to {@link VirtualTime#MAX_MEAN_NANOS}. */
    public long meanThinkTimeNanos()
    {
        return meanThinkTimeNanos;
    }

    /** A conversation ends before the turn whose prompt and output would pass this. */
    public int maxContextTokens()
    {
        return maxContextTokens;
    }

    /** Name and value of every setting, sorted by name. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("workload.kind", "generated");
        settings.put("workload.seed", Long.toString(seed));
        settings.put("workload.conversations", Integer.toString(conversations));
        settings.put("workload.clients", Integer.toString(clients));
        settings.put("workload.arrivals", arrivals.text());
        settings.put("workload.systemPromptTokens", Integer.toString(systemPromptTokens));
        settings.put("workload.turns", turns.text());
        settings.put("workload.userTokens", userTokens.text());
        settings.put("workload.outputTokens", outputTokens.text());
        settings.put("workload.meanThinkTimeNanos", Long.toString(meanThinkTimeNanos));
        settings.put("workload.maxContextTokens", Integer.toString(maxContextTokens));
        return settings;
    }

    private static int inRange(final String name, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new ConfigException(name + "=" + value + " is not between " + min + " and " + max + ".");
        }
        return value;
    }

    /** Collects settings; {@link #build()} checks all of them. */
    public static final class Builder
    {
        private long seed = 1;
        private int conversations = 400;
        private int clients;
        private Arrivals arrivals = new Arrivals.Poisson(8.0);
        private int systemPromptTokens = 512;
        private SizeDistribution turns = new SizeDistribution.Lognormal(4.0, 0.7, 1, 32);
        private SizeDistribution userTokens = new SizeDistribution.Lognormal(200.0, 1.0, 8, 4096);
        private SizeDistribution outputTokens = new SizeDistribution.Lognormal(150.0, 0.8, 4, 1024);
        private long meanThinkTimeNanos = 5_000_000_000L;
        private int maxContextTokens = 32_768;

        public Builder seed(final long value)
        {
            seed = value;
            return this;
        }

        public Builder conversations(final int value)
        {
            conversations = value;
            return this;
        }

        public Builder clients(final int value)
        {
            clients = value;
            return this;
        }

        public Builder arrivals(final Arrivals value)
        {
            arrivals = value;
            return this;
        }

        public Builder systemPromptTokens(final int value)
        {
            systemPromptTokens = value;
            return this;
        }

        public Builder turns(final SizeDistribution value)
        {
            turns = value;
            return this;
        }

        public Builder userTokens(final SizeDistribution value)
        {
            userTokens = value;
            return this;
        }

        public Builder outputTokens(final SizeDistribution value)
        {
            outputTokens = value;
            return this;
        }

        public Builder meanThinkTimeNanos(final long value)
        {
            meanThinkTimeNanos = value;
            return this;
        }

        public Builder maxContextTokens(final int value)
        {
            maxContextTokens = value;
            return this;
        }

        public GeneratedWorkloadConfig build()
        {
            return new GeneratedWorkloadConfig(this);
        }
    }
}
