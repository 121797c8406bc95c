// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.Settings;
import io.signalbox.router.published.DynamoCostDpRouter;
import io.signalbox.router.published.SglangCacheAwareDpRouter;
import io.signalbox.router.trtllm.NewConversation;

import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/**
 * The choice of a DP router and its knobs, which have the meanings and defaults of TensorRT-LLM's. A policy reads only
 * the knobs that concern it. {@link #settings()} and {@link #of(Map)} are inverse.
 */
public final class RouterConfig
{
    public static final int MAX_SESSIONS = 1 << 24;
    private static final String SNAPSHOT = "router.snapshot";

    private final RouterPolicy policy;
    private final double beta;
    private final double matchRateThreshold;
    private final double fairShareMultiplier;
    private final boolean coldStartWarmup;
    private final int maxSessions;
    private final NewConversation newConversation;
    private final long seed;
    private final SglangKnobs sglang;
    private final DynamoKnobs dynamo;
    private final SignalboxWeights signalbox;
    /** Null where the router begins with nothing. */
    private final byte[] snapshot;

    private RouterConfig(final Builder builder)
    {
        policy = builder.policy;
        KnobRange.checkWeight("beta", builder.beta);
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
        sglang = builder.sglang;
        dynamo = builder.dynamo;
        signalbox = builder.signalbox;
        snapshot = builder.snapshot;
        if (snapshot != null && snapshot.length > RouterSnapshot.MAX_BYTES)
        {
            throw new ConfigException("the router snapshot has " + snapshot.length + " bytes, more than the " +
                RouterSnapshot.MAX_BYTES + " of the largest; give one that was written for this.");
        }
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
            .newConversation(newConversation).seed(seed)
            .sglang(sglang).dynamo(dynamo).signalbox(signalbox).snapshot(snapshot);
    }

    public RouterPolicy policy()
    {
        return policy;
    }

    /** Weight of the load term of a score, 0 to 1e12. */
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

    /** What {@link SglangCacheAwareDpRouter} goes by. */
    public SglangKnobs sglang()
    {
        return sglang;
    }

    /** What {@link DynamoCostDpRouter} goes by. */
    public DynamoKnobs dynamo()
    {
        return dynamo;
    }

    /** What {@link SignalboxDpRouter} goes by. */
    public SignalboxWeights signalbox()
    {
        return signalbox;
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
        sglang.putInto(settings);
        dynamo.putInto(settings);
        signalbox.putInto(settings);
        if (snapshot != null)
        {
            settings.put(SNAPSHOT, Base64.getEncoder().encodeToString(snapshot));
        }
        return settings;
    }

    /** Whether the router begins with what another one remembered. */
    public boolean hasSnapshot()
    {
        return snapshot != null;
    }

    /** A copy of the {@link RouterSnapshot} that the router begins with, or null. */
    public byte[] snapshot()
    {
        return snapshot == null ? null : snapshot.clone();
    }

    /**
     * Reads what {@link #settings()} wrote; other names are left alone. A run description names a snapshot only where the
     * router began with one.
     */
    public static RouterConfig of(final Map<String, String> settings)
    {
        return builder()
            .policy(RouterPolicy.of(Settings.text(settings, "router.policy")))
            .beta(Settings.real(settings, "router.beta"))
            .matchRateThreshold(Settings.real(settings, "router.matchRateThreshold"))
            .fairShareMultiplier(Settings.real(settings, "router.fairShareMultiplier"))
            .coldStartWarmup(Settings.flag(settings, "router.coldStartWarmup"))
            .maxSessions(Settings.integer(settings, "router.maxSessions"))
            .newConversation(NewConversation.of(Settings.text(settings, "router.newConversation")))
            .seed(Settings.number(settings, "router.seed", Long.MIN_VALUE, Long.MAX_VALUE))
            .sglang(SglangKnobs.of(settings))
            .dynamo(DynamoKnobs.of(settings))
            .signalbox(SignalboxWeights.of(settings))
            .snapshot(snapshot(settings))
            .build();
    }

    private static byte[] snapshot(final Map<String, String> settings)
    {
        final String text = settings.get(SNAPSHOT);
        try
        {
            return text == null ? null : Base64.getDecoder().decode(text);
        }
        catch (final IllegalArgumentException e)
        {
            throw new ConfigException("the setting " + SNAPSHOT + " is not Base64 (" + e.getMessage() + ").");
        }
    }

    /** Collects settings; {@link #build()} checks all of them. */
    public static final class Builder
    {
        private RouterPolicy policy = RouterPolicy.SIGNALBOX;
        private double beta = 1.0;
        private double matchRateThreshold = 0.1;
        private double fairShareMultiplier = 2.0;
        private boolean coldStartWarmup;
        private int maxSessions = 65_536;
        private NewConversation newConversation = NewConversation.ROUND_ROBIN;
        private long seed;
        private SglangKnobs sglang = SglangKnobs.DEFAULT;
        private DynamoKnobs dynamo = DynamoKnobs.DEFAULT;
        private SignalboxWeights signalbox = SignalboxWeights.DEFAULT;
        private byte[] snapshot;

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

        public Builder sglang(final SglangKnobs value)
        {
            sglang = value;
            return this;
        }

        public Builder dynamo(final DynamoKnobs value)
        {
            dynamo = value;
            return this;
        }

        public Builder signalbox(final SignalboxWeights value)
        {
            signalbox = value;
            return this;
        }

        /** @param value a {@link RouterSnapshot} to begin with, or null to begin with nothing. */
        public Builder snapshot(final byte[] value)
        {
            snapshot = value == null ? null : value.clone();
            return this;
        }

        public RouterConfig build()
        {
            return new RouterConfig(this);
        }
    }
}
