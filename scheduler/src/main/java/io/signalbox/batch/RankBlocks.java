// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.event.codec.TableChangeKind;
import io.signalbox.experts.BlockPages;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.SavedPages;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.RankPrefixIndex;
import io.signalbox.saved.SavedFields;

/**
 * The KV blocks of one rank: the pool, the pages of routed experts that belong to blocks, the cache generation, and the
 * rank's entries in the prefix index over all ranks.
 */
public final class RankBlocks
{
    private final int rank;
    private final BlockSize blockSize;
    private final boolean prefixCaching;
    private final KvBlockAllocator allocator;
    /** {@code null} if capture is off. */
    private final BlockPages pages;
    /** Knows no index unless a router reads prefix matches. */
    private IndexedPrefixes indexed = new IndexedPrefixes();
    private final RetiringBlocks retiring;
    private final PendingBlocks pending = new PendingBlocks();
    private final boolean sameStepSharing;
    private final BlockPromises promises = new BlockPromises();
    private final AdmissionRoom room;
    private int generation;
    private int weightGeneration;
    private StepPlan planInWork;

    /**
     * @param sameStepSharing whether an entry may read blocks that an earlier entry of its step writes.
     * @param pages           pages of routed-expert rows, or null if capture is off.
     */
    public RankBlocks(
        final int rank,
        final int kvBlocks,
        final int blockSizeTokens,
        final EvictionPolicy evictionPolicy,
        final boolean prefixCaching,
        final boolean sameStepSharing,
        final RoutedExpertPages pages)
    {
        this.rank = rank;
        blockSize = new BlockSize(blockSizeTokens);
        this.prefixCaching = prefixCaching;
        this.sameStepSharing = sameStepSharing;
        this.pages = pages == null ? null : new BlockPages(pages, kvBlocks);
        final KvBlockConfig pool = KvBlockConfig.of(kvBlocks);
        allocator = new KvBlockAllocator(prefixCaching ? pool.withPrefixCaching(evictionPolicy) : pool, this.pages);
        retiring = new RetiringBlocks(allocator);
        room = new AdmissionRoom(allocator, blockSize, promises);
        if (evictionPolicy == EvictionPolicy.LRU)
        {
            // If caching is off, a block loses its hash when its last owner releases it; that is not an eviction.
            allocator.addDeregistrationObserver(this::noteEvicted);
        }
    }

    /** Decides which requests fit. */
    AdmissionRoom room()
    {
        return room;
    }

    public KvBlockAllocator allocator()
    {
        return allocator;
    }

    /** The pages of routed-expert rows, or null if capture is off. */
    BlockPages pages()
    {
        return pages;
    }

    int rank()
    {
        return rank;
    }

    int generation()
    {
        return generation;
    }

    /** The weights that compute the next step; 0: those with which the run began. */
    public int weightGeneration()
    {
        return weightGeneration;
    }

    /**
     * Number of a request's blocks that a prefix match may use. The last known token is always computed, because the next
     * token is sampled from its logits.
     */
    public int matchableBlocks(final Request request)
    {
        return prefixCaching ? Math.min(request.prefix().count(), blockSize.blockOf(request.knownTokens() - 1)) : 0;
    }

    /** Writes the longest match into the request's table, registered blocks, then pending ones; returns their number. */
    int match(final Request request)
    {
        final int limit = matchableBlocks(request);
        if (limit == 0)
        {
            return 0;
        }
        request.ensureTable(limit);
        final int registered = allocator.longestMatch(request.prefix().values(), 0, limit, request.blockTable, 0);
        return pending.match(request.prefix().values(), registered, limit, request.blockTable,
            sameStepSharing ? planInWork.step() + 1 : planInWork.step());
    }

    /** Starts a plan: later allocations belong to it, and count as one use in the order of eviction. */
    void begin(final StepPlan plan)
    {
        planInWork = plan;
        allocator.tick();
    }

    private void noteEvicted(final int[] blockIds, final long[] blockHashes, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            planInWork.addEvicted(blockIds[i], blockHashes[i]);
        }
    }

    /**
     * Starts to run the request in the current generation, on the matched blocks of its table.
     *
     * @return the number of those that are registered; the ones behind them are pending.
     */
    int share(final Request request, final int matched)
    {
        int registered = 0;
        request.enterGeneration(generation);
        // Retain before allocating: an allocation may evict blocks, and must not evict the ones just matched.
        if (matched > 0)
        {
            allocator.retain(request.blockTable, 0, matched);
        }
        for (int i = 0; i < matched; i++)
        {
            final int blockId = request.blockTable[i];
            final boolean isRegistered = registered == i && allocator.blockHash(blockId) == request.prefix().get(i);
            registered += isRegistered ? 1 : 0;
            gained(request, i, isRegistered ? TableChangeKind.MATCHED : TableChangeKind.MATCHED_PENDING);
            if (pages != null && isRegistered)
            {
                request.rows.matched(i, blockId, pages, request.generation, request.generatedTokens() > 0);
            }
            else if (pages != null)
            {
                request.rows.matchedPending(i, blockId, pages, request.generation);
            }
        }
        request.blockCount = matched;
        request.weights.extend(request.computedHighWater(), tokensOf(registered), weightGeneration);
        request.shares(registered, matched);
        return registered;
    }

    /** The first step of a request that shares pending blocks is committed: they are computed, and so are their rows. */
    void confirmShared(final Request request)
    {
        if (pages != null)
        {
            request.rows.confirm(request.firstPending(), request.endPending(), request.blockTable, pages,
                request.generation, request.hadEmitted());
        }
        request.sharesNothingPending();
    }

    /** A request whose first step will never land drops the rows that it shares with a step in flight. */
    void dropProvisional(final Request request)
    {
        if (!request.isProvisional() || request.isInFlight())
        {
            return;
        }
        if (pages != null)
        {
            request.rows.dropUnconfirmed();
        }
        request.sharesNothingPending();
    }

    /**
     * Allocates blocks until the request has enough for so many tokens.
     *
     * @return false, with nothing changed, if there are too few.
     */
    boolean grow(final Request request, final int tokens)
    {
        if (hold(request, tokens))
        {
            return true;
        }
        final int first = request.blockCount;
        final int lacking = blockSize.blocksFor(tokens) - first;
        request.ensureTable(first + lacking);
        if (!allocator.allocate(lacking, request.blockTable, first))
        {
            return false;
        }
        final int owed = promises.owedTo(request);
        request.blockCount += lacking;
        promises.handedOut(owed, request);
        for (int i = first; i < request.blockCount; i++)
        {
            gained(request, i, TableChangeKind.ALLOCATED);
            if (pages != null)
            {
                request.rows.allocated(i, request.lastBlock, pages, request.generation, request.computedHighWater());
            }
        }
        return true;
    }

    /** The request's table has gained a block, the last one so far. */
    private void gained(final Request request, final int index, final TableChangeKind kind)
    {
        request.lastBlock = request.blockTable[index];
        request.lastIssue = allocator.issue(request.lastBlock);
        planInWork.addTableChange(request, index, request.lastBlock, request.lastIssue, kind);
    }

    int tokensOf(final int blocks)
    {
        return blocks * blockSize.tokens();
    }

    /** Whether the request has blocks for so many tokens. */
    boolean hold(final Request request, final int tokens)
    {
        return tokens <= (long)request.blockCount * blockSize.tokens();
    }

    /** Most tokens of the request that fit into its blocks and those that could be allocated to it now. */
    long mostTokens(final Request request)
    {
        final long free = allocator.allocatableCount() - promises.owed() + promises.owedTo(request);
        return (request.blockCount + free) * blockSize.tokens();
    }

    /** Most tokens of the request that fit into its blocks and those that it was promised. */
    long ownTokens(final Request request)
    {
        return ((long)request.blockCount + promises.owedTo(request)) * blockSize.tokens();
    }

    /** No other request may take the blocks that the request lacks of so many. */
    void promise(final Request request, final int count)
    {
        promises.promise(request, count);
    }

    /** Blocks that were promised and are not handed out yet. */
    public long promisedBlocks()
    {
        return promises.owed();
    }

    BlockSize blockSize()
    {
        return blockSize;
    }

    /** Adds the blocks of positions {@code [start, end)} to the last entry of the plan. */
    void layOut(final Request request, final int start, final int end)
    {
        if (start >= tokensOf(request.blockCount - 1))
        {
            planInWork.addBlock(request.lastBlock, request.lastIssue);
            return;
        }
        final int last = blockSize.blockOf(end - 1);
        for (int index = blockSize.blockOf(start); index <= last; index++)
        {
            final int blockId = request.blockTable[index];
            planInWork.addBlock(blockId, allocator.issue(blockId));
        }
    }

    /** Announces the blocks that computing known tokens up to {@code end} completes: they are pending from now on. */
    void announce(final Request request, final int start, final int end)
    {
        final int hashed = request.prefix().count();
        if (start >= tokensOf(hashed))
        {
            return;
        }
        final int complete = Math.min(blockSize.blockOf(end), hashed);
        for (int index = blockSize.blockOf(start); index < complete; index++)
        {
            if (isNews(request, index))
            {
                final int block = request.blockTable[index];
                final long hash = request.prefix().get(index);
                planInWork.addPending(block, hash);
                pending.add(hash, block, index, index == 0 ? KvBlockAllocator.NO_BLOCK : request.blockTable[index - 1],
                    planInWork.step());
            }
        }
    }

    /** Whether the commit of the step can register the block's hash. */
    private boolean isNews(final Request request, final int index)
    {
        final long hash = request.prefix().get(index);
        return registers(request) && allocator.find(hash) == KvBlockAllocator.NO_BLOCK && !pending.contains(hash);
    }

    private boolean registers(final Request request)
    {
        return prefixCaching && request.generation == generation;
    }

    /** Releases the request's blocks; its table keeps their ids. */
    void release(final Request request)
    {
        promises.promise(request, 0);
        allocator.release(request.blockTable, 0, request.blockCount);
    }

    /**
     * The request has ended: its blocks return to the pool, those that steps in flight may write once the newest of these
     * steps has landed.
     */
    void retire(final Request request)
    {
        promises.promise(request, 0);
        if (request.isInFlight())
        {
            retiring.add(request.newestStepInFlight(), request.blockTable, request.blockCount);
        }
        else
        {
            release(request);
        }
    }

    /** Whether blocks will return to the pool when a step in flight has landed. */
    public boolean isRetiring()
    {
        return !retiring.isEmpty();
    }

    /** A step of the rank has landed. */
    public void landed(final StepPlan plan)
    {
        pending.ended(plan);
        if (!retiring.isEmpty())
        {
            retiring.landed(plan.step());
        }
    }

    /** The step will never land: none of the blocks that it would have completed can be matched. */
    public void withdrawn(final StepPlan plan)
    {
        pending.ended(plan);
    }

    /**
     * Steps from {@code fromStep} on will never land.
     *
     * @param newestLeft the newest step that is still in flight; if there is none, the last one that has landed.
     * @param noneLeft   whether no step is in flight.
     */
    public void withdraw(final long fromStep, final long newestLeft, final boolean noneLeft)
    {
        retiring.withdraw(fromStep, newestLeft);
        if (noneLeft)
        {
            retiring.landed(newestLeft);
        }
    }

    /** Digest of the blocks that wait for steps in flight, and of those that steps in flight complete. */
    long inFlightDigest()
    {
        return retiring.digest() + pending.digest();
    }

    /** Whether the block is still in the issue for which a step was planned; in a later one it has another owner. */
    boolean isIssued(final int blockId, final int issue)
    {
        return allocator.issue(blockId) == issue;
    }

    /** Records that a step computed tokens {@code [start, end)}; prefix matches find the blocks that these complete. */
    void register(final Request request, final int start, final int end, final RegisteredBlocks registered)
    {
        if (start >= tokensOf(request.prefix().count()) || !registers(request))
        {
            return;
        }
        final int completeBlocks = Math.min(blockSize.blockOf(end), request.prefix().count());
        for (int index = blockSize.blockOf(start); index < completeBlocks; index++)
        {
            final int blockId = request.blockTable[index];
            final long hash = request.prefix().get(index);
            if (isOfOneGeneration(request, index) && allocator.register(blockId, hash, parentHash(request, index), index))
            {
                registered.add(blockId, allocator.issue(blockId), hash, request.prefix().isGenerated(index));
                indexed.add(hash);
            }
        }
    }

    /** Rows of a block that is found under its hash must all be of the weights that computed its content. */
    private boolean isOfOneGeneration(final Request request, final int index)
    {
        return !request.weights.isMixed(tokensOf(index), tokensOf(index + 1));
    }

    /** The hash of the previous block, if the request owns the registered block of that hash and not a duplicate. */
    private long parentHash(final Request request, final int index)
    {
        return index == 0 ? KvBlockAllocator.NO_HASH : allocator.blockHash(request.blockTable[index - 1]);
    }

    /**
     * Starts a new cache generation: later requests share nothing that was cached or computed before.
     *
     * @param newGeneration a number that no rank had for anything else: requests take theirs along to other ranks.
     */
    public void forgetPrefixes(final int newGeneration)
    {
        generation = newGeneration;
        pending.clear();
        indexed.removeAll();
        allocator.forgetPrefixes();
    }

    /** Later steps compute with new weights; nothing that former ones computed is shared with later requests. */
    public void newWeights(final int weights, final int newGeneration)
    {
        weightGeneration = weights;
        forgetPrefixes(newGeneration);
    }

    /** A block that was cached before the run can be found under the hash. */
    public void cachedBefore(final long hash)
    {
        indexed.add(hash);
    }

    /** Saves the blocks between two inputs, or restores them in a new object. */
    public void save(final SavedFields fields, final SavedPages saved)
    {
        generation = fields.int32(generation);
        weightGeneration = fields.int32(weightGeneration);
        fields.record(() -> allocator.save(fields));
        fields.record(() -> retiring.save(fields));
        fields.record(() -> pending.save(fields));
        fields.record(() -> promises.save(fields));
        if (pages != null)
        {
            fields.record(() -> pages.save(saved));
        }
        if (fields.isReading())
        {
            indexed.addAll();
        }
    }

    /** The answer that an index over all ranks would give for this one. */
    public int cachedPrefix(final Request request)
    {
        return allocator.cachedPrefix(request.prefix().values(), matchableBlocks(request));
    }

    /** Sets the index over all ranks; this rank keeps its cached blocks in it up to date. Call before the first plan. */
    public void indexPrefixes(final RankPrefixIndex index)
    {
        indexed = new IndexedPrefixes(index, rank, allocator);
    }
}
