// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.ArrayList;
import java.util.List;

/** The blocks that lose their last owner or their place in the cache in the current operation, and its observers. */
final class DeregisteredBlocks
{
    private final List<DeregistrationObserver> observers = new ArrayList<>();
    private int[] ids = new int[64];
    private long[] hashes = new long[64];

    void add(final DeregistrationObserver observer)
    {
        observers.add(observer);
    }

    void ensureCapacity(final int count)
    {
        if (count > ids.length)
        {
            ids = new int[Math.max(count, 2 * ids.length)];
            hashes = new long[ids.length];
        }
    }

    int[] ids()
    {
        return ids;
    }

    long[] hashes()
    {
        return hashes;
    }

    /** Notifies every observer even if one fails; throws the first failure afterwards. */
    void tell(final int count)
    {
        RuntimeException failure = null;
        for (int i = 0; i < observers.size(); i++)
        {
            try
            {
                observers.get(i).onBlocksDeregistered(ids, hashes, count);
            }
            catch (final RuntimeException e)
            {
                if (failure == null)
                {
                    failure = e;
                }
                else
                {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null)
        {
            throw failure;
        }
    }
}
