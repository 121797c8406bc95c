// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.WorkloadRequest;

import java.util.Arrays;

/**
 * Simulates a prefix cache on a trace, with nothing but the cache at work: requests come one after another in
 * file order, take no time, and their trace blocks (the last one too, if it is partial) go through the real
 * allocator of the rank they are sent to.
 */
public final class PrefixCacheReplay
{
    /** Room for everything: nothing is ever evicted. */
    public static final int UNBOUNDED = 0;

    private static final int MAX_RANKS = 1024;

    /** Who gets a request. */
    public enum RankChoice
    {
        /** Ranks in turn. */
        ROUND_ROBIN,
        /** The rank with the longest prefix match, whatever its load; the lowest rank among equals. */
        LONGEST_MATCH
    }

    /**
     * The result of a replay.
     *
     * @param newTokens per rank, prompt tokens that no cached block covered.
     */
    public record Result(
        long requests, long blocks, long blockHits, long tokens, long tokenHits, long evictions, long[] newTokens)
    {
        public double tokenHitRate()
        {
            return (double)tokenHits / tokens;
        }

        public double blockHitRate()
        {
            return (double)blockHits / blocks;
        }

        /** Load of the busiest rank over the mean load, in new tokens. */
        public double maxOverMeanLoad()
        {
            final long max = Arrays.stream(newTokens).max().orElse(0);
            return (double)max * newTokens.length / (tokens - tokenHits);
        }
    }

    private final MooncakeTrace trace;
    private final RankChoice placement;
    private final int blocksPerRank;
    private final KvBlockAllocator[] ranks;
    private final long[] newTokens;
    private long[] hashes = new long[64];
    private int[] table = new int[64];
    private long blocks;
    private long blockHits;
    private long tokens;
    private long tokenHits;
    private long evictions;

    private PrefixCacheReplay(
        final MooncakeTrace trace, final int rankCount, final RankChoice placement, final int blocksPerRank)
    {
        this.trace = trace;
        this.placement = placement;
        this.blocksPerRank = blocksPerRank;
        ranks = new KvBlockAllocator[rankCount];
        newTokens = new long[rankCount];
    }

    /** @param blocksPerRank KV blocks of 512 tokens per rank, or {@link #UNBOUNDED}. */
    public static Result run(
        final MooncakeTrace trace, final int rankCount, final RankChoice placement, final int blocksPerRank)
    {
        if (rankCount < 1 || rankCount > MAX_RANKS)
        {
            throw new ConfigException("ranks=" + rankCount + " is not between 1 and " + MAX_RANKS + ".");
        }
        final int longest = trace.requests().stream()
            .mapToInt(request -> trace.traceBlockIds(request).length).max().orElse(0);
        if (blocksPerRank != UNBOUNDED && blocksPerRank < longest)
        {
            throw new ConfigException("a pool of " + blocksPerRank +
                " blocks per rank is smaller than the longest prompt of " + longest + " blocks; give at least as many.");
        }
        return new PrefixCacheReplay(trace, rankCount, placement, blocksPerRank).run();
    }

    private Result run()
    {
        for (final WorkloadRequest request : trace.requests())
        {
            replay(request);
        }
        return new Result(trace.requests().size(), blocks, blockHits, tokens, tokenHits, evictions, newTokens);
    }

    private void replay(final WorkloadRequest request)
    {
        final int count = readHashes(request);
        final int rank = choose(request, count);
        final KvBlockAllocator allocator = allocator(rank);
        final int matched = allocator.longestMatch(hashes, 0, count, table, 0);
        allocator.tick();
        allocator.retain(table, 0, matched);
        if (!allocator.allocate(count - matched, table, matched))
        {
            throw new InvariantViolation("request " + request.requestId() + " found no room although nothing runs");
        }
        for (int i = matched; i < count; i++)
        {
            allocator.register(table[i], hashes[i], i == 0 ? KvBlockAllocator.NO_HASH : hashes[i - 1], i);
        }
        allocator.release(table, 0, count);

        final long hit = Math.min((long)matched * trace.traceBlockTokens(), request.promptTokens());
        blocks += count;
        blockHits += matched;
        tokens += request.promptTokens();
        tokenHits += hit;
        newTokens[rank] += request.promptTokens() - hit;
    }

    private int readHashes(final WorkloadRequest request)
    {
        final long[] ids = trace.traceBlockIds(request);
        if (ids.length > hashes.length)
        {
            hashes = new long[2 * ids.length];
            table = new int[2 * ids.length];
        }
        for (int i = 0; i < ids.length; i++)
        {
            // An id names its whole prefix and so is a block hash, but for zero, which 2^64 - 1 would become.
            hashes[i] = ids[i] == -1 ? Long.MIN_VALUE : ids[i] + 1;
        }
        return ids.length;
    }

    private int choose(final WorkloadRequest request, final int count)
    {
        if (placement == RankChoice.ROUND_ROBIN)
        {
            return (int)((request.requestId() - 1) % ranks.length);
        }
        int best = 0;
        int bestMatch = 0;
        for (int rank = 0; rank < ranks.length; rank++)
        {
            final int match = ranks[rank] == null ? 0 : ranks[rank].longestMatch(hashes, 0, count, table, 0);
            if (match > bestMatch)
            {
                best = rank;
                bestMatch = match;
            }
        }
        return best;
    }

    /** Made at first use, because a rank that never gets a request needs no pool. */
    private KvBlockAllocator allocator(final int rank)
    {
        if (ranks[rank] == null)
        {
            final int pool = blocksPerRank == UNBOUNDED ? mostBlocks(rank) : blocksPerRank;
            ranks[rank] = new KvBlockAllocator(KvBlockConfig.of(pool + 1).withPrefixCaching(EvictionPolicy.LRU));
            ranks[rank].addDeregistrationObserver((blockIds, blockHashes, count) -> evictions += count);
        }
        return ranks[rank];
    }

    private int mostBlocks(final int rank)
    {
        final long blocksOfRank = trace.requests().stream()
            .filter(request -> placement != RankChoice.ROUND_ROBIN || (request.requestId() - 1) % ranks.length == rank)
            .mapToLong(request -> trace.traceBlockIds(request).length)
            .sum();
        if (blocksOfRank >= KvBlockConfig.MAX_POOL_SIZE)
        {
            throw new ConfigException("rank " + rank + " would hold " + blocksOfRank + " blocks, and a pool " +
                "holds fewer than " + KvBlockConfig.MAX_POOL_SIZE + "; give more ranks or a bounded pool.");
        }
        return (int)blocksOfRank;
    }
}
