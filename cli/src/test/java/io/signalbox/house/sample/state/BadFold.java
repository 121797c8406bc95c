// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.state;

import io.signalbox.kv.KvBlockAllocator;

/** A fold that asks the allocator instead of reading events. */
final class BadFold
{
    private BadFold()
    {
    }

    static int freeBlocks(final KvBlockAllocator pool)
    {
        return pool.totalAvailable();
    }
}
