// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;

import java.util.List;

/**
 * Configuration of a pool of KV blocks.
 *
 * @param poolSize       all blocks, the dummy block included: 2 to {@link #MAX_POOL_SIZE}.
 * @param pausedLimit    blocks that paused requests may keep: 0 to {@code poolSize - 2}.
 * @param prefixCaching  whether blocks can be found by their hash and shared.
 * @param evictionPolicy treatment of registered blocks without an owner; without prefix caching there are none.
 */
public record KvBlockConfig(int poolSize, int pausedLimit, boolean prefixCaching, EvictionPolicy evictionPolicy)
{
    public static final int MAX_POOL_SIZE = 1 << 24;
    private static final String PAUSED_REMEDY = "give the number of KV blocks that paused requests may keep";

    public static final Setting<Integer> POOL_SIZE =
        Setting.integer("poolSize", "blocks", 65_536, 2, MAX_POOL_SIZE, "All KV blocks, the dummy block included.")
            .remedy("give the number of KV blocks, one more than requests can use");
    public static final Setting<Integer> PAUSED_LIMIT = Setting.integer("pausedLimit", "blocks", 0, 0, MAX_POOL_SIZE - 2,
        "KV blocks that paused requests may keep; at most poolSize - 2.").remedy(PAUSED_REMEDY);
    public static final Setting<Boolean> PREFIX_CACHING =
        Setting.flag("prefixCaching", false, "Whether blocks can be found by their hash and shared.");
    public static final Setting<EvictionPolicy> EVICTION_POLICY = Setting.constant("evictionPolicy", EvictionPolicy.REF_ZERO,
        "Treatment of registered blocks without an owner; without prefix caching there are none.");
    public static final List<Setting<?>> SETTINGS = List.of(POOL_SIZE, PAUSED_LIMIT, PREFIX_CACHING, EVICTION_POLICY);

    public KvBlockConfig
    {
        POOL_SIZE.check(poolSize);
        PAUSED_LIMIT.check(pausedLimit);
        EVICTION_POLICY.check(evictionPolicy);
        if (pausedLimit > poolSize - 2)
        {
            throw ConfigException.because(PAUSED_LIMIT.of(pausedLimit), " is not between 0 and ", POOL_SIZE.named(),
                    " - 2 = " + (poolSize - 2)).allowed("between 0 and " + (poolSize - 2)).remedy(PAUSED_REMEDY);
        }
    }

    /** The defaults of Megatron Core: no prefix caching, no blocks for paused requests. */
    public static KvBlockConfig of(final int poolSize)
    {
        return new KvBlockConfig(
            poolSize, PAUSED_LIMIT.defaultValue(), PREFIX_CACHING.defaultValue(), EVICTION_POLICY.defaultValue());
    }

    public KvBlockConfig withPausedLimit(final int limit)
    {
        return new KvBlockConfig(poolSize, limit, prefixCaching, evictionPolicy);
    }

    public KvBlockConfig withPrefixCaching(final EvictionPolicy policy)
    {
        return new KvBlockConfig(poolSize, pausedLimit, true, policy);
    }

    public boolean keepsCachedBlocks()
    {
        return prefixCaching && evictionPolicy == EvictionPolicy.LRU;
    }
}
