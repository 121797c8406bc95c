// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;

import java.util.Map;
import java.util.TreeMap;

/**
 * The choice of a DP router and its knobs, which have the meanings and defaults of TensorRT-LLM's. A policy reads only
 * the knobs that concern it. {@link #settings()} and {@link #of(Map)} are inverse.
 */
public final class RouterConfig
{
    public static final int MAX_SESSIONS = 1 << 24;

    private final RouterPolicy policy;
    private final double beta;
    private final double matchRateThreshold;
    private final double fairShareMultiplier;
    private final boolean coldStartWarmup;
    private final int maxSessions;
    private final NewConversation newConversation;
    private final long seed;
    private final double overlapCredit;
    private final double temperature;
    private final double cacheThreshold;
    private final int imbalance;
    private final double imbalanceRatio;
    private final double rowWeight;
    private final double contextWeight;
    private final double reuseWeight;
    private final double backlog;

    private RouterConfig(final Builder builder)
    {
        policy = builder.policy;
        if (!(builder.beta >= 0.0) || Double.isInfinite(builder.beta))
        {
            throw new ConfigException(
                "beta=" + builder.beta + " is not a finite value >= 0; give the weight of the load term.");
        }
        beta = builder.beta;
        if (!(builder.matchRateThreshold >= 0.0 && builder.matchRateThreshold <= 1.0))
        {
            throw new ConfigException("matchRateThreshold=" + builder.matchRateThreshold + " is not between 0 and 1; " +
                "give the share of a prompt that a match must exceed to count.");
        }
        matchRateThreshold = builder.matchRateThreshold;
        if (!(builder.fairShareMultiplier >= 1.0) || Double.isInfinite(builder.fairShareMultiplier))
        {
            throw new ConfigException("fairShareMultiplier=" + builder.fairShareMultiplier + " is not a finite value " +
                ">= 1; below 1 requests would find no rank although there is room.");
        }
        fairShareMultiplier = builder.fairShareMultiplier;
        coldStartWarmup = builder.coldStartWarmup;
        if (builder.maxSessions < 1 || builder.maxSessions > MAX_SESSIONS)
        {
            throw new ConfigException("maxSessions=" + builder.maxSessions + " is not between 1 and " + MAX_SESSIONS +
                "; give the most conversations to remember.");
        }
        maxSessions = builder.maxSessions;
        newConversation = builder.newConversation;
        seed = builder.seed;
        overlapCredit = notNegative("overlapCredit", builder.overlapCredit);
        temperature = notNegative("temperature", builder.temperature);
        cacheThreshold = notNegative("cacheThreshold", builder.cacheThreshold);
        imbalance = (int)notNegative("imbalance", builder.imbalance);
        imbalanceRatio = notNegative("imbalanceRatio", builder.imbalanceRatio);
        rowWeight = notNegative("rowWeight", builder.rowWeight);
        contextWeight = notNegative("contextWeight", builder.contextWeight);
        reuseWeight = notNegative("reuseWeight", builder.reuseWeight);
        backlog = notNegative("backlog", builder.backlog);
    }

    private static double notNegative(final String name, final double value)
    {
        if (!(value >= 0.0) || Double.isInfinite(value))
        {
            throw new ConfigException(name + "=" + value + " is not a finite value >= 0; give one.");
        }
        return value;
    }

    public static Builder builder()
    {
        return new Builder();
    }

    /** A builder that starts from these settings. */
    public Builder toBuilder()
    {
        return builder().policy(policy).beta(beta).matchRateThreshold(matchRateThreshold)
            .fairShareMultiplier(fairShareMultiplier).coldStartWarmup(coldStartWarmup).maxSessions(maxSessions)
            .newConversation(newConversation).seed(seed).overlapCredit(overlapCredit).temperature(temperature)
            .cacheThreshold(cacheThreshold).imbalance(imbalance).imbalanceRatio(imbalanceRatio).rowWeight(rowWeight)
            .contextWeight(contextWeight).reuseWeight(reuseWeight).backlog(backlog);
    }

    public RouterPolicy policy()
    {
        return policy;
    }

    /** Weight of the load term of a score. */
    public double beta()
    {
        return beta;
    }

    /** The share of a prompt that the best match must exceed for matches to count. */
    public double matchRateThreshold()
    {
        return matchRateThreshold;
    }

    /** How far above its fair share of all requests a rank may go. */
    public double fairShareMultiplier()
    {
        return fairShareMultiplier;
    }

    /** Whether every rank gets a first request in turn. */
    public boolean coldStartWarmup()
    {
        return coldStartWarmup;
    }

    /** Most conversations whose rank is remembered. */
    public int maxSessions()
    {
        return maxSessions;
    }

    public NewConversation newConversation()
    {
        return newConversation;
    }

    /** For policies that break ties by a seeded choice; those of TensorRT-LLM are seeded by the request alone. */
    public long seed()
    {
        return seed;
    }

    /** Tokens of prefill that a matched token is worth, in the cost of Dynamo. */
    public double overlapCredit()
    {
        return overlapCredit;
    }

    /** Of the draw between ranks by Dynamo's cost; 0 takes the lowest. */
    public double temperature()
    {
        return temperature;
    }

    /** The share of a prompt that a match must exceed for SGLang's rule to follow it. */
    public double cacheThreshold()
    {
        return cacheThreshold;
    }

    /** Requests by which the fullest rank may exceed the emptiest before SGLang's rule balances. */
    public int imbalance()
    {
        return imbalance;
    }

    /** How many times the emptiest rank's requests the fullest must have for the same. */
    public double imbalanceRatio()
    {
        return imbalanceRatio;
    }

    /** By how much an active request slows down the prefill of its rank, in {@link SignalboxDpRouter}. */
    public double rowWeight()
    {
        return rowWeight;
    }

    /** The same for a token whose KV the rank holds. */
    public double contextWeight()
    {
        return contextWeight;
    }

    /** Cost to everybody of a token computed, against one of waiting, in {@link SignalboxDpRouter}. */
    public double reuseWeight()
    {
        return reuseWeight;
    }

    /** Prompt tokens still to compute with which a rank takes no further request, in {@link SignalboxDpRouter}. */
    public double backlog()
    {
        return backlog;
    }

    /** Name and value of every setting, sorted by name. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("router.policy", policy.label());
        settings.put("router.beta", Double.toString(beta));
        settings.put("router.matchRateThreshold", Double.toString(matchRateThreshold));
        settings.put("router.fairShareMultiplier", Double.toString(fairShareMultiplier));
        settings.put("router.coldStartWarmup", Boolean.toString(coldStartWarmup));
        settings.put("router.maxSessions", Integer.toString(maxSessions));
        settings.put("router.newConversation", newConversation.label());
        settings.put("router.seed", Long.toString(seed));
        settings.put("router.overlapCredit", Double.toString(overlapCredit));
        settings.put("router.temperature", Double.toString(temperature));
        settings.put("router.cacheThreshold", Double.toString(cacheThreshold));
        settings.put("router.imbalance", Integer.toString(imbalance));
        settings.put("router.imbalanceRatio", Double.toString(imbalanceRatio));
        settings.put("router.rowWeight", Double.toString(rowWeight));
        settings.put("router.contextWeight", Double.toString(contextWeight));
        settings.put("router.reuseWeight", Double.toString(reuseWeight));
        settings.put("router.backlog", Double.toString(backlog));
        return settings;
    }

    /** Reads what {@link #settings()} wrote; other names are left alone. */
    public static RouterConfig of(final Map<String, String> settings)
    {
        return builder()
            .policy(RouterPolicy.of(text(settings, "router.policy")))
            .beta(real(settings, "router.beta"))
            .matchRateThreshold(real(settings, "router.matchRateThreshold"))
            .fairShareMultiplier(real(settings, "router.fairShareMultiplier"))
            .coldStartWarmup(Boolean.parseBoolean(text(settings, "router.coldStartWarmup")))
            .maxSessions((int)number(settings, "router.maxSessions", Integer.MIN_VALUE, Integer.MAX_VALUE))
            .newConversation(NewConversation.of(text(settings, "router.newConversation")))
            .seed(number(settings, "router.seed", Long.MIN_VALUE, Long.MAX_VALUE))
            .overlapCredit(real(settings, "router.overlapCredit"))
            .temperature(real(settings, "router.temperature"))
            .cacheThreshold(real(settings, "router.cacheThreshold"))
            .imbalance((int)number(settings, "router.imbalance", 0, Integer.MAX_VALUE))
            .imbalanceRatio(real(settings, "router.imbalanceRatio"))
            .rowWeight(real(settings, "router.rowWeight"))
            .contextWeight(real(settings, "router.contextWeight"))
            .reuseWeight(real(settings, "router.reuseWeight"))
            .backlog(real(settings, "router.backlog"))
            .build();
    }

    private static String text(final Map<String, String> settings, final String name)
    {
        final String value = settings.get(name);
        if (value == null)
        {
            throw new ConfigException("the setting " + name + " is missing; a run description names every setting.");
        }
        return value;
    }

    private static long number(final Map<String, String> settings, final String name, final long min, final long max)
    {
        final String value = text(settings, name);
        try
        {
            final long number = Long.parseLong(value);
            if (number >= min && number <= max)
            {
                return number;
            }
        }
        catch (final NumberFormatException e)
        {
            throw new ConfigException("the setting " + name + "=" + value + " is not a whole number.");
        }
        throw new ConfigException("the setting " + name + "=" + value + " is not between " + min + " and " + max + ".");
    }

    private static double real(final Map<String, String> settings, final String name)
    {
        final String value = text(settings, name);
        try
        {
            return Double.parseDouble(value);
        }
        catch (final NumberFormatException e)
        {
            throw new ConfigException("the setting " + name + "=" + value + " is not a number.");
        }
    }

    /** Collects settings; {@link #build()} checks all of them. */
    public static final class Builder
    {
        private RouterPolicy policy = RouterPolicy.DEFAULT;
        private double beta = 1.0;
        private double matchRateThreshold = 0.1;
        private double fairShareMultiplier = 2.0;
        private boolean coldStartWarmup;
        private int maxSessions = 65_536;
        private NewConversation newConversation = NewConversation.ROUND_ROBIN;
        private long seed;
        private double overlapCredit = 1.0;
        private double temperature = 0.0;
        private double cacheThreshold = 0.3;
        private int imbalance = 64;
        private double imbalanceRatio = 1.5;
        private double rowWeight = 0.0011;
        private double contextWeight = 1.0E-6;
        private double reuseWeight = 1.0;
        private double backlog = 32_768;

        public Builder policy(final RouterPolicy value)
        {
            policy = value;
            return this;
        }

        public Builder beta(final double value)
        {
            beta = value;
            return this;
        }

        public Builder matchRateThreshold(final double value)
        {
            matchRateThreshold = value;
            return this;
        }

        public Builder fairShareMultiplier(final double value)
        {
            fairShareMultiplier = value;
            return this;
        }

        public Builder coldStartWarmup(final boolean value)
        {
            coldStartWarmup = value;
            return this;
        }

        public Builder maxSessions(final int value)
        {
            maxSessions = value;
            return this;
        }

        public Builder newConversation(final NewConversation value)
        {
            newConversation = value;
            return this;
        }

        public Builder seed(final long value)
        {
            seed = value;
            return this;
        }

        public Builder overlapCredit(final double value)
        {
            overlapCredit = value;
            return this;
        }

        public Builder temperature(final double value)
        {
            temperature = value;
            return this;
        }

        public Builder cacheThreshold(final double value)
        {
            cacheThreshold = value;
            return this;
        }

        public Builder imbalance(final int value)
        {
            imbalance = value;
            return this;
        }

        public Builder imbalanceRatio(final double value)
        {
            imbalanceRatio = value;
            return this;
        }

        public Builder rowWeight(final double value)
        {
            rowWeight = value;
            return this;
        }

        public Builder contextWeight(final double value)
        {
            contextWeight = value;
            return this;
        }

        public Builder reuseWeight(final double value)
        {
            reuseWeight = value;
            return this;
        }

        public Builder backlog(final double value)
        {
            backlog = value;
            return this;
        }

        public RouterConfig build()
        {
            return new RouterConfig(this);
        }
    }
}
