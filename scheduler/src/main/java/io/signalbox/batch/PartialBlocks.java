// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.hash.BlockHasher;

/**
 * Sharing of parts of blocks on one rank. An admitted request continues behind its matched blocks with the first tokens of
 * one more block, registered and computed: their KV content is copied into its next block before its first step
 * computes. The source keeps an owner until that step has landed or was withdrawn. The last block of a request that ends
 * is registered, too, although it is not full.
 */
final class PartialBlocks
{
    private static final int NO_BLOCK = KvBlockAllocator.NO_BLOCK;

    private final KvBlockAllocator allocator;
    private final BlockSize blockSize;
    private final int leastTokens;
    /** {@code null} if nothing is copied. */
    private final CopySources sources;
    private int source = NO_BLOCK;
    private int tokens;
    private int pinned;
    private final int[] oneBlock = new int[1];

    /** @param leastTokens that are worth a copy; 0: nothing is copied. */
    PartialBlocks(final KvBlockAllocator allocator, final BlockSize blockSize, final int leastTokens)
    {
        this.allocator = allocator;
        this.blockSize = blockSize;
        this.leastTokens = leastTokens;
        final KvBlockConfig pool = allocator.config();
        sources = leastTokens == 0 ? null : new CopySources(pool.poolSize(), blockSize.tokens());
        if (sources != null)
        {
            allocator.addDeregistrationObserver(this::remove);
        }
    }

    private void remove(final int[] blockIds, final long[] blockHashes, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            sources.remove(blockIds[i]);
        }
    }

    void forget()
    {
        if (sources != null)
        {
            sources.clear();
        }
    }

    /**
     * Chooses the block from which the request, about to be admitted, copies; a request that has computed some of these
     * tokens before computes them again.
     *
     * @return the tokens that it has in common with the request behind the match; 0 if none are worth a copy.
     */
    int choose(final Request request, final int matched, final int generation)
    {
        chooseNothing();
        final int from = matched * blockSize.tokens();
        final int most = Math.min(blockSize.tokens(), request.knownTokens() - 1 - from);
        final KnownTokens known = request.prefix().known();
        final boolean startsAnew = request.generation != generation && request.generatedTokens() == 0;
        if (sources == null || most < leastTokens || !known.hasFrom(from) ||
            !startsAnew && request.computedHighWater() > from)
        {
            return 0;
        }
        final int found = sources.find(prefix(request, matched), known, from, most);
        if (sources.foundTokens() >= leastTokens && keepsNoOther(found, request, matched))
        {
            source = found;
            tokens = sources.foundTokens();
        }
        return tokens;
    }

    /** An owner of the block keeps no further block from eviction, except the matched ones. */
    private boolean keepsNoOther(final int block, final Request request, final int matched)
    {
        final int parent = allocator.parent(block);
        return parent == NO_BLOCK || matched > 0 && parent == request.blockTable[matched - 1];
    }

    /** The request computes these tokens. */
    int chooseNothing()
    {
        source = NO_BLOCK;
        tokens = 0;
        return 0;
    }

    /** Evictable blocks that must stay for the sake of the copy. */
    int kept()
    {
        return source != NO_BLOCK && allocator.isEvictable(source) ? 1 : 0;
    }

    /** The chosen block gets a further owner; to be called before an allocation could evict it. Returns the tokens. */
    int pin(final Request request)
    {
        if (source != NO_BLOCK)
        {
            request.stay().copies(source, tokens);
            pinned++;
            oneBlock[0] = source;
            allocator.retain(oneBlock, 0, 1);
        }
        return tokens;
    }

    /** The step copies into the block behind the matched ones, which the request has by now. */
    void copyIn(final StepPlan plan, final Request request, final int matched)
    {
        if (source != NO_BLOCK)
        {
            final int block = request.blockTable[matched];
            plan.copies().add(request.id(), source, allocator.issue(source), block, allocator.issue(block), tokens);
        }
    }

    /** The step has landed, or never will. */
    void ended(final StepPlan plan)
    {
        final int count = plan.copies().count();
        if (count > 0)
        {
            allocator.release(plan.copies().fromBlocks(), 0, count);
            pinned -= count;
        }
    }

    /** Whether blocks are kept for steps in flight that copy them. */
    boolean isPinning()
    {
        return pinned > 0;
    }

    /** A block of the request was registered under the hash of all its tokens. */
    void registered(final Request request, final int index)
    {
        add(request, index, blockSize.tokens());
    }

    private void add(final Request request, final int index, final int count)
    {
        final int from = index * blockSize.tokens();
        if (sources != null && request.prefix().known().hasFrom(from))
        {
            sources.add(request.blockTable[index], prefix(request, index), request.prefix().known(), from, count);
        }
    }

    /**
     * Registers the last block of a request that ends, partly filled.
     *
     * @return its hash, or {@link KvBlockAllocator#NO_HASH} if it is not registered.
     */
    long keepLast(final Request request, final LastBlocks kept, final BlockHasher hasher)
    {
        final int count = lastTokens(request);
        final int from = request.computedTokens - count;
        if (count == 0 || request.weights.isMixed(from, request.computedTokens))
        {
            return KvBlockAllocator.NO_HASH;
        }
        final int index = blockSize.blockOf(from);
        final int block = request.blockTable[index];
        final long hash = request.prefix().openHash(count, blockSize.tokens(), hasher);
        final long parent = index == 0 ? KvBlockAllocator.NO_HASH : allocator.blockHash(request.blockTable[index - 1]);
        if (!allocator.register(block, hash, parent, index))
        {
            return KvBlockAllocator.NO_HASH;
        }
        kept.add(block, allocator.issue(block), hash, count);
        add(request, index, count);
        return hash;
    }

    /** Computed tokens of the last block of a request that ends; 0 if the block is full, or is not worth a copy. */
    private int lastTokens(final Request request)
    {
        final int last = blockSize.offsetOf(request.computedTokens);
        return sources != null && last >= leastTokens &&
            request.prefix().isOpen(blockSize.blockOf(request.computedTokens)) &&
            request.prefix().known().hasFrom(request.computedTokens - last) ? last : 0;
    }

    /** Names all tokens in front of the block, and the cache key. */
    private static long prefix(final Request request, final int index)
    {
        return index == 0 ? request.prefix().known().root() : request.prefix().get(index - 1);
    }

    /** Digest of the blocks that can be copied from. */
    long digest()
    {
        return sources == null ? 0 : sources.digest();
    }
}
