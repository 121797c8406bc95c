// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Makes the router that a configuration names. */
public final class DpRouters
{
    private DpRouters()
    {
    }

    /**
     * Makes a router. Without prefix caching the KV-cache-aware policies, which have nothing to go by, give way to the
     * default one of the same edition: as in TensorRT-LLM, but {@link DpRouter#policy()}, and with it every journaled
     * decision, says so.
     *
     * @param prefixCaching whether ranks share prefixes between requests.
     */
    public static DpRouter of(final RouterConfig config, final int ranks, final boolean prefixCaching)
    {
        return switch (config.policy())
        {
            case DEFAULT -> new DefaultDpRouter(RouterEdition.MAIN);
            case KV_AWARE_PR -> prefixCaching ?
                new KvAwarePrDpRouter(config.beta()) : new DefaultDpRouter(RouterEdition.PR_12315);
            case KV_AWARE -> prefixCaching ?
                new KvAwareDpRouter(ranks, config.beta(), config.matchRateThreshold(), config.fairShareMultiplier(),
                    config.coldStartWarmup()) :
                new DefaultDpRouter(RouterEdition.MAIN);
            case CONVERSATION -> new ConversationDpRouter(
                config.maxSessions(), config.fairShareMultiplier(), config.newConversation());
            case ROUND_ROBIN -> new RoundRobinDpRouter();
            case LEAST_LOADED -> new LeastLoadedDpRouter();
            case LMETRIC -> new LMetricDpRouter();
            case DYNAMO_COST ->
                new DynamoCostDpRouter(config.overlapCredit(), config.temperature(), config.seed(), ranks);
            case SGLANG_CACHE_AWARE ->
                new SglangCacheAwareDpRouter(config.cacheThreshold(), config.imbalance(), config.imbalanceRatio());
            case MIN_MAX -> new MinMaxDpRouter();
            case KV_AWARE_RAW -> new KvAwareRawDpRouter(config.beta());
            case SIGNALBOX -> new SignalboxDpRouter(config.rowWeight(), config.contextWeight(), config.reuseWeight(), config.backlog());
        };
    }
}
