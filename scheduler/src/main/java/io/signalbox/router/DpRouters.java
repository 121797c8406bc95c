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
        };
    }
}
