// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.ArrayList;
import java.util.List;

/** The blocks that the operation under way takes from their last owner or from the cache, and who is told of it. */
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

    /** Tells every observer, whatever the others do; the first failure is thrown when all have been told. */
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
