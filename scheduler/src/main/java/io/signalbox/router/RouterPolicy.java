// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.router.published.DynamoCostDpRouter;
import io.signalbox.router.published.LMetricDpRouter;
import io.signalbox.router.published.LeastLoadedDpRouter;
import io.signalbox.router.published.MinMaxDpRouter;
import io.signalbox.router.published.RoundRobinDpRouter;
import io.signalbox.router.published.SglangCacheAwareDpRouter;
import io.signalbox.router.trtllm.ConversationDpRouter;
import io.signalbox.router.trtllm.DefaultDpRouter;
import io.signalbox.router.trtllm.KvAwareDpRouter;
import io.signalbox.router.trtllm.KvAwarePrDpRouter;
import io.signalbox.router.trtllm.KvAwareRawDpRouter;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The policies that choose a DP rank, by the names used on the command line and in the journal. */
public enum RouterPolicy
{
    /** {@link DefaultDpRouter}. */
    DEFAULT("default"),
    /** {@link KvAwarePrDpRouter}. */
    KV_AWARE_PR("kv-aware-pr", "beta"),
    /** {@link KvAwareDpRouter}. */
    KV_AWARE("kv-aware", "beta", "matchRateThreshold", "fairShareMultiplier", "coldStartWarmup"),
    /** {@link ConversationDpRouter}. */
    CONVERSATION("conversation", "maxSessions", "fairShareMultiplier", "newConversation"),
    /** {@link RoundRobinDpRouter}. */
    ROUND_ROBIN("round-robin"),
    /** {@link LeastLoadedDpRouter}. */
    LEAST_LOADED("least-loaded"),
    /** {@link LMetricDpRouter}. */
    LMETRIC("lmetric"),
    /** {@link DynamoCostDpRouter}. */
    DYNAMO_COST("dynamo-cost", "overlapCredit", "temperature", "seed"),
    /** {@link SglangCacheAwareDpRouter}. */
    SGLANG_CACHE_AWARE("sglang-cache-aware", "cacheThreshold", "imbalance", "imbalanceRatio"),
    /** {@link MinMaxDpRouter}. */
    MIN_MAX("min-max"),
    /** {@link KvAwareRawDpRouter}. */
    KV_AWARE_RAW("kv-aware-raw", "beta"),
    /** {@link SignalboxDpRouter}. */
    SIGNALBOX("signalbox", "rowWeight", "contextWeight", "decodeWeight", "reuseWeight", "cachedWeight", "backlog",
        "adaptiveReuse", "outputPrediction");

    private final String label;
    private final List<String> knobs;

    RouterPolicy(final String label, final String... knobs)
    {
        this.label = label;
        this.knobs = List.of(knobs);
    }

    public String label()
    {
        return label;
    }

    /** The settings that it reads, by their names behind {@code router.} in a run description. */
    public List<String> knobs()
    {
        return knobs;
    }

    /** All labels, for a sentence. */
    public static String labels()
    {
        return Arrays.stream(values()).map(RouterPolicy::label).collect(Collectors.joining(", "));
    }

    /** @throws ConfigException when no policy has this label. */
    public static RouterPolicy of(final String label)
    {
        for (final RouterPolicy policy : values())
        {
            if (policy.label.equals(label))
            {
                return policy;
            }
        }
        throw new ConfigException("router=" + label + " is not known; it is one of " + labels() + ".");
    }
}
