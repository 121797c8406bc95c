// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.ConfigException;

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

    public KvBlockConfig
    {
        if (poolSize < 2 || poolSize > MAX_POOL_SIZE)
        {
            throw new ConfigException("poolSize=" + poolSize + " is not between 2 and " + MAX_POOL_SIZE +
                "; give the number of KV blocks, one more than requests can use.");
        }
        if (pausedLimit < 0 || pausedLimit > poolSize - 2)
        {
            throw new ConfigException("pausedLimit=" + pausedLimit + " is not between 0 and poolSize - 2 = " +
                (poolSize - 2) + "; give the number of KV blocks that paused requests may keep.");
        }
        if (evictionPolicy == null)
        {
            throw new ConfigException("evictionPolicy=null of a block pool is none; give LRU or REF_ZERO.");
        }
    }

    /** The defaults of Megatron Core: no prefix caching, no blocks for paused requests. */
    public static KvBlockConfig of(final int poolSize)
    {
        return new KvBlockConfig(poolSize, 0, false, EvictionPolicy.REF_ZERO);
    }

    public KvBlockConfig withPausedLimit(final int limit)
    {
        return new KvBlockConfig(poolSize, limit, prefixCaching, evictionPolicy);
    }

    public KvBlockConfig withPrefixCaching(final EvictionPolicy policy)
    {
        return new KvBlockConfig(poolSize, pausedLimit, true, policy);
    }

    boolean keepsCachedBlocks()
    {
        return prefixCaching && evictionPolicy == EvictionPolicy.LRU;
    }
}
