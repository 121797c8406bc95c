// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The policies that choose a DP rank, by the names used on the command line and in the journal. */
public enum RouterPolicy
{
    /** {@link DefaultDpRouter}. */
    DEFAULT("default"),
    /** {@link KvAwarePrDpRouter}. */
    KV_AWARE_PR("kv-aware-pr"),
    /** {@link KvAwareDpRouter}. */
    KV_AWARE("kv-aware"),
    /** {@link ConversationDpRouter}. */
    CONVERSATION("conversation"),
    /** {@link RoundRobinDpRouter}. */
    ROUND_ROBIN("round-robin"),
    /** {@link LeastLoadedDpRouter}. */
    LEAST_LOADED("least-loaded"),
    /** {@link LMetricDpRouter}. */
    LMETRIC("lmetric"),
    /** {@link DynamoCostDpRouter}. */
    DYNAMO_COST("dynamo-cost"),
    /** {@link SglangCacheAwareDpRouter}. */
    SGLANG_CACHE_AWARE("sglang-cache-aware"),
    /** {@link MinMaxDpRouter}. */
    MIN_MAX("min-max"),
    /** {@link KvAwareRawDpRouter}. */
    KV_AWARE_RAW("kv-aware-raw"),
    /** {@link SignalboxDpRouter}. */
    SIGNALBOX("signalbox");

    private final String label;

    RouterPolicy(final String label)
    {
        this.label = label;
    }

    public String label()
    {
        return label;
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
