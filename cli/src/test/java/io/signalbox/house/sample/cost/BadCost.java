// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.cost;

import io.signalbox.kv.KvBlockConfig;

/** Costs that know a pool. */
final class BadCost
{
    private final KvBlockConfig other;

    BadCost(final KvBlockConfig other)
    {
        this.other = other;
    }

    boolean same(final Object object)
    {
        return other.equals(object);
    }
}
