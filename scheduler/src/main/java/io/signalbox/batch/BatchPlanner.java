// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.experts.BlockPages;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.RankPrefixIndex;

/**
 * Decides which tokens of which requests one DP rank computes in its next step. Every request closes the gap between
 * its known and its computed tokens; running ones come first in the order of their admission, then waiting ones in
 * theirs, under one token budget. When KV blocks run out, the request admitted last gives up its blocks and is
 * computed again later (recompute): after vLLM's scheduler.
 */
public final class BatchPlanner
{
    private final int rank;
    private final int blockSizeTokens;
    private final int maxRunning;
    private final int stepTokens;
    private final boolean prefixCaching;
    private final KvBlockAllocator allocator;
    private final BlockPages blockPages;

    private final RequestQueue running = new RequestQueue();
    private final RequestQueue waiting = new RequestQueue();
    private long promptTokens;
    private long uncachedTokens;
    private long pendingPrefillTokens;
    private long contextTokens;
    private int generation;
    /** Null where no router asks for prefix matches. */
    private RankPrefixIndex prefixIndex;
    private int budget;
    private StepPlan planInWork;

    /** @param pages where routed-expert rows are kept, or null where capture is off. */
    public BatchPlanner(
        final int rank,
        final int kvBlocks,
        final int blockSizeTokens,
        final EvictionPolicy evictionPolicy,
        final boolean prefixCaching,
        final int maxRunning,
        final int stepTokens,
        final RoutedExpertPages pages)
    {
        this.rank = rank;
        this.blockSizeTokens = blockSizeTokens;
        this.maxRunning = maxRunning;
        this.stepTokens = stepTokens;
        this.prefixCaching = prefixCaching;
        blockPages = pages == null ? null : new BlockPages(pages, kvBlocks);
        final KvBlockConfig pool = KvBlockConfig.of(kvBlocks);
        allocator = new KvBlockAllocator(prefixCaching ? pool.withPrefixCaching(evictionPolicy) : pool, blockPages);
        allocator.requestBlocks(new RunningBlocks(running));
        if (evictionPolicy == EvictionPolicy.LRU)
        {
            // Without caching a block loses its hash with its last owner, which is no eviction.
            allocator.addDeregistrationObserver(this::noteEvicted);
        }
    }

    public KvBlockAllocator allocator()
    {
        return allocator;
    }

    BlockPages blockPages()
    {
        return blockPages;
    }

    /** Requests that the router placed here and that have not ended. */
    public int activeRequests()
    {
        return running.size() + waiting.size();
    }

    /** Prompt tokens of the active requests: the load that routers see. */
    public long promptTokens()
    {
        return promptTokens;
    }

    /** Prompt tokens of the active requests that were not cached when they were placed here. */
    public long uncachedTokens()
    {
        return uncachedTokens;
    }

    /**
     * Prompt tokens of the active requests that are still to be computed; of one that has not begun, those that were not
     * cached when it was placed here.
     */
    public long pendingPrefillTokens()
    {
        return pendingPrefillTokens;
    }

    /** Tokens whose KV the running requests hold. */
    public long contextTokens()
    {
        return contextTokens;
    }

    private void countPrompt(final Request request, final int sign)
    {
        promptTokens += sign * (long)request.promptTokens();
        uncachedTokens += sign * (long)Math.max(request.promptTokens() - request.cachedTokens, 0);
        countProgress(request, sign);
    }

    /** Takes out (-1) what a request contributes by how far it has come, and puts in (1) what it does afterwards. */
    private void countProgress(final Request request, final int sign)
    {
        final int spared = request.computedTokens > 0 ? request.computedTokens : request.cachedTokens;
        pendingPrefillTokens += sign * (long)Math.max(request.promptTokens() - spared, 0);
        contextTokens += sign * (long)request.computedTokens;
    }

    /** A step has computed tokens of the request. */
    void computed(final Request request, final int tokens)
    {
        countProgress(request, -1);
        request.computed(tokens);
        countProgress(request, 1);
    }

    public boolean hasWork()
    {
        return activeRequests() > 0;
    }

    /** Digest of what the planner holds beside its requests: their order, and the cache generation. */
    public long digest()
    {
        return StateDigest.mix(running.digest(), waiting.digest(), generation);
    }

    /**
     * Takes a request that the router placed on this rank.
     *
     * @param cachedTokens prompt tokens that the router knew to be cached here.
     */
    public void place(final Request request, final int cachedTokens)
    {
        request.rank = rank;
        request.stage(Request.Stage.PLACED);
        request.cachedTokens = cachedTokens;
        countPrompt(request, 1);
        waiting.addByPriority(request);
    }

    /**
     * Blocks of a request that a prefix match may use. The last known token is always computed: its logits are what the
     * next token is sampled from.
     */
    public int matchableBlocks(final Request request)
    {
        return prefixCaching ? Math.min(request.hashCount, (request.knownTokens() - 1) / blockSizeTokens) : 0;
    }

    private int longestMatch(final Request request)
    {
        final int limit = matchableBlocks(request);
        request.ensureTable(limit);
        return allocator.longestMatch(request.blockHashes, 0, limit, request.blockTable, 0);
    }

    /** Fills the plan of the next step, with one row for each running request; there must be work. */
    public void plan(final StepPlan plan)
    {
        plan.clear();
        planInWork = plan;
        allocator.tick();
        budget = stepTokens;
        continueRunning(plan);
        if (plan.preemptedCount() == 0)
        {
            admitWaiting(plan);
        }
        if (plan.rowCount() != running.size() || plan.rowCount() == 0)
        {
            throw new InvariantViolation("rank " + rank + " plans " + plan.rowCount() + " rows for " + running.size() +
                " running and " + waiting.size() + " waiting requests; " + allocator);
        }
    }

    private void continueRunning(final StepPlan plan)
    {
        for (int i = 0; i < running.size() && budget > 0; i++)
        {
            final Request request = running.get(i);
            final int tokens = Math.min(request.knownTokens() - request.computedTokens, budget);
            if (!growOrPreempt(plan, request, request.computedTokens + tokens))
            {
                break;
            }
            addRow(plan, request, tokens);
        }
    }

    /** Preempts from the end of the running requests until the blocks suffice; false when it took the request itself. */
    private boolean growOrPreempt(final StepPlan plan, final Request request, final int tokens)
    {
        while (!grow(plan, request, tokens))
        {
            final Request victim = running.removeLast();
            plan.addPreempted(victim, victim.blockCount);
            giveUpBlocks(victim);
            waiting.addFirst(victim);
            if (victim == request)
            {
                return false;
            }
        }
        return true;
    }

    private void giveUpBlocks(final Request request)
    {
        allocator.release(request.blockTable, 0, request.blockCount);
        request.blockCount = 0;
        countProgress(request, -1);
        request.computedTokens = 0;
        countProgress(request, 1);
        request.resumed(true);
        request.stage(Request.Stage.PLACED);
    }

    private boolean grow(final StepPlan plan, final Request request, final int tokens)
    {
        final int first = request.blockCount;
        final int lacking = blocksFor(tokens) - first;
        if (lacking <= 0)
        {
            return true;
        }
        request.ensureTable(first + lacking);
        if (!allocator.allocate(lacking, request.blockTable, first))
        {
            return false;
        }
        request.blockCount += lacking;
        for (int i = first; i < request.blockCount; i++)
        {
            final int blockId = request.blockTable[i];
            plan.addTableChange(request, i, blockId, allocator.issue(blockId), false);
            if (blockPages != null)
            {
                request.rows.allocated(i, blockId, blockPages, request.generation, request.computedHighWater());
            }
        }
        return true;
    }

    private void admitWaiting(final StepPlan plan)
    {
        while (!waiting.isEmpty() && running.size() < maxRunning && budget > 0)
        {
            final Request request = waiting.first();
            final int matched = prefixCaching ? longestMatch(request) : 0;
            if (!fits(request, matched))
            {
                break;
            }
            waiting.removeFirst();
            running.addLast(request);
            request.enterGeneration(generation);
            share(plan, request, matched);
            final int start = matched * blockSizeTokens;
            countProgress(request, -1);
            request.startAt(start);
            countProgress(request, 1);
            request.stage(Request.Stage.RUNNING);
            plan.addAdmitted(request, matched, request.isResumed());
            final int tokens = Math.min(request.knownTokens() - start, budget);
            if (!grow(plan, request, start + tokens))
            {
                throw new InvariantViolation("request " + request.id() + " was admitted without room for it: " +
                    allocator);
            }
            addRow(plan, request, tokens);
        }
    }

    /** Whether everything known of the request fits beside its match; the match must not be counted as evictable. */
    private boolean fits(final Request request, final int matched)
    {
        int allocatable = allocator.allocatableCount();
        for (int i = 0; i < matched; i++)
        {
            allocatable -= allocator.isEvictable(request.blockTable[i]) ? 1 : 0;
        }
        return blocksFor(request.knownTokens()) - matched <= allocatable;
    }

    private void share(final StepPlan plan, final Request request, final int matched)
    {
        // Retain before anything is allocated: allocation may evict, and must not evict what was just matched.
        if (matched > 0)
        {
            allocator.retain(request.blockTable, 0, matched);
        }
        for (int i = 0; i < matched; i++)
        {
            final int blockId = request.blockTable[i];
            plan.addTableChange(request, i, blockId, allocator.issue(blockId), true);
            if (blockPages != null)
            {
                request.rows.matched(i, blockId, blockPages, request.generation, request.generatedTokens() > 0);
            }
        }
        request.blockCount = matched;
    }

    private void addRow(final StepPlan plan, final Request request, final int tokens)
    {
        final int start = request.computedTokens;
        final int end = start + tokens;
        plan.addRow(request, start, tokens);
        budget -= tokens;
        request.inFlight = true;
        for (int position = start; position < end; )
        {
            final int index = position / blockSizeTokens;
            final int offset = position - index * blockSizeTokens;
            final int count = Math.min(blockSizeTokens - offset, end - position);
            final int blockId = request.blockTable[index];
            plan.addSpan(blockId, allocator.issue(blockId), offset, count);
            position += count;
            if (offset + count == blockSizeTokens && index < request.hashCount && isNews(request, index))
            {
                plan.addPending(blockId, request.blockHashes[index]);
            }
        }
    }

    private void noteEvicted(final int[] blockIds, final long[] blockHashes, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            planInWork.addEvicted(blockIds[i], blockHashes[i]);
        }
    }

    /** Whether the block's hash is one that the commit of the step can register. */
    private boolean isNews(final Request request, final int index)
    {
        return prefixCaching && request.generation == generation &&
            allocator.find(request.blockHashes[index]) == KvBlockAllocator.NO_BLOCK;
    }

    /** Takes a request that has ended, or that goes back to the queue, off this rank; its blocks are released. */
    public void remove(final Request request)
    {
        if (request.stage() == Request.Stage.RUNNING)
        {
            running.remove(request);
            allocator.release(request.blockTable, 0, request.blockCount);
        }
        else
        {
            waiting.remove(request);
        }
        countPrompt(request, -1);
    }

    /**
     * The step in flight will never complete: its requests start over, in their order, ahead of the waiting ones. That
     * is every running request, because each has at least one token in every step.
     */
    public void requeueRunning(final RequeueListener listener)
    {
        while (!running.isEmpty())
        {
            final Request request = running.removeLast();
            request.inFlight = false;
            startOver(request, listener);
        }
    }

    private void startOver(final Request request, final RequeueListener listener)
    {
        listener.onRequeue(request, request.blockCount());
        giveUpBlocks(request);
        waiting.addFirst(request);
    }

    /** Starts a new generation: nothing cached or computed so far is shared with later requests. */
    public void forgetPrefixes()
    {
        generation++;
        if (prefixIndex != null)
        {
            unindexAll();
        }
        allocator.forgetPrefixes();
    }

    /** Block by block: the index holds the blocks of all ranks, and looking through it once per rank would stall them. */
    private void unindexAll()
    {
        for (int blockId = 0; blockId < allocator.dummyBlock(); blockId++)
        {
            final long hash = allocator.blockHash(blockId);
            if (hash != KvBlockAllocator.NO_HASH)
            {
                prefixIndex.remove(hash, rank);
            }
        }
    }

    /** Keeps the index over all ranks up to date with what this rank has cached; for a planner that has not planned yet. */
    public void indexPrefixes(final RankPrefixIndex index)
    {
        prefixIndex = index;
        allocator.addDeregistrationObserver(this::unindex);
    }

    private void unindex(final int[] blockIds, final long[] blockHashes, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (blockHashes[i] != KvBlockAllocator.NO_HASH)
            {
                prefixIndex.remove(blockHashes[i], rank);
            }
        }
    }

    /** The commit of a step has registered a block. */
    void registered(final long blockHash)
    {
        if (prefixIndex != null)
        {
            prefixIndex.add(blockHash, rank);
        }
    }

    boolean sharesPrefixes()
    {
        return prefixCaching;
    }

    int generation()
    {
        return generation;
    }

    /** Hands every active request back, in order, to be placed on another rank. */
    public void evacuate(final RequestQueue destination)
    {
        while (!waiting.isEmpty())
        {
            final Request request = waiting.removeLast();
            countPrompt(request, -1);
            request.rank = Request.NO_RANK;
            request.stage(Request.Stage.QUEUED);
            destination.addFirst(request);
        }
    }

    private int blocksFor(final int tokens)
    {
        return (int)((tokens + (long)blockSizeTokens - 1) / blockSizeTokens);
    }
}
