// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.ConfigException;

/**
 * How a pool of KV blocks is run.
 *
 * @param poolSize       all blocks, the dummy block included: 2 to {@link #MAX_POOL_SIZE}.
 * @param pausedLimit    blocks that paused requests may keep: 0 to {@code poolSize - 2}.
 * @param prefixCaching  whether blocks can be found by their hash and shared.
 * @param evictionPolicy what becomes of registered blocks without an owner; without prefix caching there are none.
 */
public record KvBlockConfig(
    int poolSize,
    int pausedLimit,
    boolean prefixCaching,
    EvictionPolicy evictionPolicy,
    AllocatorProfile profile,
    PrefixPolicy prefixPolicy)
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
        if (evictionPolicy == null || profile == null || prefixPolicy == null)
        {
            throw new ConfigException("evictionPolicy=" + evictionPolicy + ", profile=" + profile + ", prefixPolicy=" +
                prefixPolicy + " of a block pool are not all there; give each one.");
        }
        if (profile == AllocatorProfile.MEGATRON_2026_05 && prefixPolicy == PrefixPolicy.CONTRACT)
        {
            throw new ConfigException("profile=" + profile + " evicts blocks that others build upon, which prefixPolicy=" +
                prefixPolicy + " rules out; give prefixPolicy=" + PrefixPolicy.REFERENCE + ".");
        }
    }

    /** Megatron Core's own defaults: no prefix caching, nothing for paused requests, behaviour of August 2026. */
    public static KvBlockConfig of(final int poolSize)
    {
        return new KvBlockConfig(
            poolSize, 0, false, EvictionPolicy.REF_ZERO, AllocatorProfile.MEGATRON_2026_08, PrefixPolicy.CONTRACT);
    }

    public KvBlockConfig withPausedLimit(final int limit)
    {
        return new KvBlockConfig(poolSize, limit, prefixCaching, evictionPolicy, profile, prefixPolicy);
    }

    public KvBlockConfig withPrefixCaching(final EvictionPolicy policy)
    {
        return new KvBlockConfig(poolSize, pausedLimit, true, policy, profile, prefixPolicy);
    }

    /** As recorded from the original, with what is wrong in it. */
    public KvBlockConfig asRecorded(final AllocatorProfile recorded)
    {
        return new KvBlockConfig(
            poolSize, pausedLimit, prefixCaching, evictionPolicy, recorded, PrefixPolicy.REFERENCE);
    }

    boolean keepsCachedBlocks()
    {
        return prefixCaching && evictionPolicy == EvictionPolicy.LRU;
    }
}
