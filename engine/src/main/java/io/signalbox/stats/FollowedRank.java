// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import java.util.Arrays;

/** Requests and KV blocks of one rank. */
final class FollowedRank
{
    private int[] holders = new int[1024];
    private int usedBlocks;
    private int running;
    private boolean lost;
    private int resets;

    void admit(final FollowedRequest request, final int rank)
    {
        request.rank = rank;
        running++;
    }

    void hold(final FollowedRequest request, final int block)
    {
        if (block >= holders.length)
        {
            holders = Arrays.copyOf(holders, Math.max(block + 1, 2 * holders.length));
        }
        request.blocks.addInt(block);
        usedBlocks += holders[block]++ == 0 ? 1 : 0;
    }

    /** The request has no blocks any more. */
    void release(final FollowedRequest request)
    {
        for (int i = 0; i < request.blocks.size(); i++)
        {
            usedBlocks -= --holders[request.blocks.getInt(i)] == 0 ? 1 : 0;
        }
        request.blocks.clear();
        request.rank = FollowedRequest.NO_RANK;
        running--;
    }

    void lose()
    {
        lost = true;
    }

    void reset()
    {
        lost = false;
        resets++;
    }

    EngineStats.Rank stats(final int poolBlocks)
    {
        return new EngineStats.Rank(running, (double)usedBlocks / poolBlocks, lost, resets);
    }
}
