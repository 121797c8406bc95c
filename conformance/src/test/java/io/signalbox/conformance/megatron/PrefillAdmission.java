// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.InvariantViolation;
import io.signalbox.kv.KvBlockAllocator;
import org.agrona.collections.LongHashSet;

import java.util.ArrayDeque;

/**
 * Admits waiting requests in their order, as many as rows, token budget and KV blocks allow; the first that does not fit
 * ends the pass. A request whose prefix is being computed by one that was admitted in the same pass is put aside until
 * the pass ends, because it will find that prefix in the next step.
 */
final class PrefillAdmission
{
    private final PagingConfig config;
    private final KvBlockPool allocator;
    private final PagedRows routedExperts;
    private final RequestRowTable rows;
    private final StepLayout layout;
    private final ArrayDeque<PagedRequest> waiting;
    private final PrefillMatch match;
    private final LongHashSet pendingHashes = new LongHashSet();
    private final ArrayDeque<PagedRequest> putAside = new ArrayDeque<>();
    private long coordinationWaits;

    PrefillAdmission(
        final PagingConfig config,
        final KvBlockPool allocator,
        final PagedRows routedExperts,
        final RequestRowTable rows,
        final StepLayout layout,
        final ArrayDeque<PagedRequest> waiting)
    {
        this.config = config;
        this.allocator = allocator;
        this.routedExperts = routedExperts;
        this.rows = rows;
        this.layout = layout;
        this.waiting = waiting;
        match = new PrefillMatch(allocator, config);
    }

    /** How often a request was put aside. */
    long coordinationWaits()
    {
        return coordinationWaits;
    }

    void admit()
    {
        boolean goesOn = true;
        while (goesOn && !waiting.isEmpty())
        {
            final PagedRequest request = waiting.peekFirst();
            final boolean continues = rows.chunkedPrefill() != null;
            if (!continues && isBeingComputed(request))
            {
                coordinationWaits++;
                putAside.addLast(waiting.pollFirst());
                // The original's loop over chunks ends with the first one put aside; its other loop continues.
                goesOn = !config.chunkedPrefill();
            }
            else
            {
                goesOn = config.chunkedPrefill() ? admitChunk(request, continues) : admitWhole(request);
            }
        }
        takeBack();
        pendingHashes.clear();
    }

    private boolean isBeingComputed(final PagedRequest request)
    {
        if (pendingHashes.isEmpty())
        {
            return false;
        }
        for (int i = 0; i < request.hashCount; i++)
        {
            if (pendingHashes.contains(request.blockHashes[i]))
            {
                return true;
            }
        }
        return false;
    }

    /** Those put aside go in front again, in their order, behind a prompt that has begun. */
    private void takeBack()
    {
        if (putAside.isEmpty())
        {
            return;
        }
        final PagedRequest begun = rows.chunkedPrefill() == null ? null : waiting.pollFirst();
        while (!putAside.isEmpty())
        {
            waiting.addFirst(putAside.pollLast());
        }
        if (begun != null)
        {
            waiting.addFirst(begun);
        }
    }

    private boolean admitWhole(final PagedRequest request)
    {
        match.compute(request, request.remainingPrompt());
        if (!hasRow() || layout.tokenCount() + match.computedTokens() > config.maxTokens() || !hasMemory())
        {
            return false;
        }
        start(request, request.remainingPrompt());
        return true;
    }

    /**
     * Admits as much of the prompt as the budget allows. There must be memory for the whole of what remains, as in the
     * original. None of it is set aside: once others have taken it, a prompt that has begun keeps its blocks and waits.
     *
     * @return whether another request may be tried.
     */
    private boolean admitChunk(final PagedRequest request, final boolean continues)
    {
        final int remaining = request.remainingPrompt();
        final int budget = config.maxTokens() - layout.tokenCount();
        match.compute(request, remaining);
        if (budget <= 0 || !(continues || hasRow()) || !hasMemory())
        {
            return false;
        }
        final int chunk = chunk(remaining, match.skippedTokens(), budget);
        if (chunk == 0)
        {
            return false;
        }
        match.compute(request, chunk);
        if (match.computedTokens() > budget)
        {
            return false;
        }
        rows.beginChunk(request, chunk < remaining);
        start(request, chunk);
        return chunk == remaining;
    }

    /** Never leaves exactly one token: it would look like a decode step to attention kernels. */
    private static int chunk(final int remaining, final int skipped, final int budget)
    {
        final int most = skipped + Math.min(remaining - skipped, budget);
        return remaining - most == 1 ? most - 1 : most;
    }

    private boolean hasRow()
    {
        return !rows.isFull() && rows.pausedRequests() == 0;
    }

    private boolean hasMemory()
    {
        return allocator.isMemoryAvailable(match.blocksFromPool(), match.unownedBlocks());
    }

    /** Carries out what {@link #match} says of the request's next chunk. */
    private void start(final PagedRequest request, final int chunk)
    {
        addPendingHashes(request);
        takeBlocks(request);
        final int admitted = request.admittedTokens;
        request.kvOffset = admitted + match.skippedTokens();
        request.queryTokens = match.computedTokens();
        request.lastOffset = (admitted + chunk - 1) % config.blockSizeTokens();
        request.prefill = true;
        request.admittedTokens = admitted + chunk;
        request.cachedTokens += match.matchedBlocks() * config.blockSizeTokens();
        if (config.blocks().prefixCaching())
        {
            registerFullBlocks(request, admitted);
        }
        rows.add(request);
        layout.append(request);
        if (request.remainingPrompt() == 0)
        {
            waiting.pollFirst();
        }
    }

    private void addPendingHashes(final PagedRequest request)
    {
        for (int i = 0; i < request.hashCount && config.blocks().prefixCaching(); i++)
        {
            if (allocator.find(request.blockHashes[i]) == KvBlockAllocator.NO_BLOCK)
            {
                pendingHashes.add(request.blockHashes[i]);
            }
        }
    }

    private void takeBlocks(final PagedRequest request)
    {
        final int first = match.firstBlock();
        final int matched = match.matchedBlocks();
        request.ensureBlocks(match.endBlock());
        System.arraycopy(match.blocks(), 0, request.blockTable, first, matched);
        // Matched blocks first: what follows may evict, and must not evict them.
        if (matched > 0)
        {
            allocator.retain(request.blockTable, first, matched);
        }
        if (!allocator.allocate(match.blocksFromPool(), request.blockTable, first + matched))
        {
            throw new InvariantViolation("request " + request.id() + " was admitted without room for it");
        }
        request.blockCount = match.endBlock();
        if (routedExperts != null)
        {
            routedExperts.matched(request, first, matched);
            routedExperts.allocated(request, first + matched, match.blocksFromPool());
        }
    }

    /** First the block that the chunk before left half full, then the new ones; matched blocks are registered. */
    private void registerFullBlocks(final PagedRequest request, final int admittedBefore)
    {
        final int full = Math.min(request.admittedTokens / config.blockSizeTokens(), request.hashCount);
        register(request, admittedBefore / config.blockSizeTokens(), Math.min(match.firstBlock(), full));
        register(request, match.firstBlock() + match.matchedBlocks(), full);
    }

    private void register(final PagedRequest request, final int from, final int to)
    {
        for (int i = from; i < to; i++)
        {
            // A chunk may end within a matched block, which the next chunk completes: that one has its hash already.
            if (allocator.blockHash(request.blockTable[i]) == KvBlockAllocator.NO_HASH)
            {
                final long parent = i == 0 ? KvBlockAllocator.NO_HASH : request.blockHashes[i - 1];
                allocator.register(request.blockTable[i], request.blockHashes[i], parent, i);
            }
        }
    }
}
