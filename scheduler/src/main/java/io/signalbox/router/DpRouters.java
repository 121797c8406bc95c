// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

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
import io.signalbox.router.trtllm.RouterEdition;

/** Makes the router that a configuration names. */
public final class DpRouters
{
    private DpRouters()
    {
    }

    /**
     * The policy that will decide. Without prefix caching the KV-cache-aware ones of TensorRT-LLM give way to its default
     * one, as they do there; but here every journaled decision says so. The others score loads too, and keep doing it.
     *
     * @param prefixCaching whether requests share prefixes.
     */
    public static RouterPolicy policy(final RouterConfig config, final boolean prefixCaching)
    {
        return switch (config.policy())
        {
            case KV_AWARE, KV_AWARE_PR, KV_AWARE_RAW -> prefixCaching ? config.policy() : RouterPolicy.DEFAULT;
            default -> config.policy();
        };
    }

    /**
     * Makes a router of {@link #policy}, with the state of the snapshot where the configuration has one.
     *
     * @throws io.signalbox.ConfigException when the snapshot is none of this router's.
     */
    public static DpRouter of(final RouterConfig config, final int ranks, final boolean prefixCaching)
    {
        final DpRouter router = empty(config, ranks, prefixCaching);
        if (config.hasSnapshot())
        {
            RouterSnapshot.restore(config.snapshot(), router, ranks);
        }
        return router;
    }

    private static DpRouter empty(final RouterConfig config, final int ranks, final boolean prefixCaching)
    {
        return switch (policy(config, prefixCaching))
        {
            case DEFAULT -> new DefaultDpRouter(
                config.policy() == RouterPolicy.KV_AWARE_PR ? RouterEdition.PR_12315 : RouterEdition.MAIN);
            case KV_AWARE_PR -> new KvAwarePrDpRouter(config.beta());
            case KV_AWARE -> new KvAwareDpRouter(ranks, config.beta(), config.matchRateThreshold(),
                config.fairShareMultiplier(), config.coldStartWarmup());
            case CONVERSATION -> new ConversationDpRouter(
                config.maxSessions(), config.fairShareMultiplier(), config.newConversation());
            case ROUND_ROBIN -> new RoundRobinDpRouter();
            case LEAST_LOADED -> new LeastLoadedDpRouter();
            case LMETRIC -> new LMetricDpRouter();
            case DYNAMO_COST -> new DynamoCostDpRouter(config.dynamo(), config.seed(), ranks);
            case SGLANG_CACHE_AWARE -> new SglangCacheAwareDpRouter(config.sglang());
            case MIN_MAX -> new MinMaxDpRouter();
            case KV_AWARE_RAW -> new KvAwareRawDpRouter(config.beta());
            case SIGNALBOX -> new SignalboxDpRouter(config.signalbox());
        };
    }
}
