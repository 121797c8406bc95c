// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.stats.Interval.RankCount;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Arrays;

/** Requests and KV blocks of one rank. */
final class FollowedRank
{
    private final int rank;
    private int[] holders = new int[1024];
    private boolean lost;
    /** Requests of the last step, by entry: mostly those of the next one too. An ended one has another id by then. */
    private FollowedRequest[] entries = new FollowedRequest[16];

    FollowedRank(final int rank)
    {
        this.rank = rank;
    }

    FollowedRequest request(final int entry, final long requestId, final Long2ObjectHashMap<FollowedRequest> live)
    {
        if (entry >= entries.length)
        {
            entries = Arrays.copyOf(entries, 2 * entry);
        }
        FollowedRequest request = entries[entry];
        if (request == null || request.requestId != requestId)
        {
            request = live.get(requestId);
            entries[entry] = request;
        }
        return request;
    }

    void admit(final FollowedRequest request, final Interval interval)
    {
        request.rank = rank;
        interval.add(RankCount.RUNNING, rank, 1);
    }

    void hold(final FollowedRequest request, final int block, final Interval interval)
    {
        if (block >= holders.length)
        {
            holders = Arrays.copyOf(holders, Math.max(block + 1, 2 * holders.length));
        }
        request.blocks.addInt(block);
        interval.add(RankCount.USED_BLOCKS, rank, holders[block]++ == 0 ? 1 : 0);
    }

    /** The request has no blocks any more. */
    void release(final FollowedRequest request, final Interval interval)
    {
        for (int i = 0; i < request.blocks.size(); i++)
        {
            interval.add(RankCount.USED_BLOCKS, rank, --holders[request.blocks.getInt(i)] == 0 ? -1 : 0);
        }
        request.blocks.clear();
        request.rank = FollowedRequest.NO_RANK;
        interval.add(RankCount.RUNNING, rank, -1);
    }

    void lose(final Interval interval)
    {
        interval.add(RankCount.LOST, rank, lost ? 0 : 1);
        lost = true;
    }

    void reset(final Interval interval)
    {
        interval.add(RankCount.LOST, rank, lost ? -1 : 0);
        interval.add(RankCount.RESETS, rank, 1);
        lost = false;
    }
}
