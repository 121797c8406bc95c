// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.StepView;
import io.signalbox.state.RankState;
import io.signalbox.state.RequestState;

/** How many KV blocks of one rank live requests hold. */
final class BlocksInUse
{
    /** References of live requests to each block. */
    private final int[] references;
    private long count;

    BlocksInUse(final int kvBlocks)
    {
        references = new int[kvBlocks];
    }

    /** Adds the blocks that a step of the rank hands out or shares. */
    void add(final StepView plan)
    {
        for (int i = 0; i < plan.changeCount(); i++)
        {
            count += references[plan.changeBlockId(i)]++ == 0 ? 1 : 0;
        }
    }

    /** Adds the blocks of the requests that run on the rank. */
    void add(final RankState rank)
    {
        for (int i = 0; i < rank.running().size(); i++)
        {
            final RequestState request = rank.running().get(i);
            for (int block = 0; block < request.blockCount(); block++)
            {
                count += references[request.block(block)]++ == 0 ? 1 : 0;
            }
        }
    }

    void release(final int block)
    {
        count -= --references[block] == 0 ? 1 : 0;
    }

    long count()
    {
        return count;
    }
}
