// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Makes the router that a configuration names. */
public final class DpRouters
{
    private DpRouters()
    {
    }

    /**
     * The policy that will decide. Without prefix caching the KV-cache-aware ones, which have nothing to go by, give way
     * to the default one: as in TensorRT-LLM, but here every journaled decision says so.
     *
     * @param prefixCaching whether requests share prefixes.
     */
    public static RouterPolicy policy(final RouterConfig config, final boolean prefixCaching)
    {
        final boolean readsMatches = config.policy() == RouterPolicy.KV_AWARE || config.policy() == RouterPolicy.KV_AWARE_PR;
        return readsMatches && !prefixCaching ? RouterPolicy.DEFAULT : config.policy();
    }

    /** Makes a router of {@link #policy}. */
    public static DpRouter of(final RouterConfig config, final int ranks, final boolean prefixCaching)
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
        };
    }
}
