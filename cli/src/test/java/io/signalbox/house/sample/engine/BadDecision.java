// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.engine;

import io.signalbox.kv.EvictionPolicy;

/** An engine that decides about eviction. */
final class BadDecision
{
    boolean evicts(final EvictionPolicy policy)
    {
        return policy == EvictionPolicy.LRU;
    }
}
