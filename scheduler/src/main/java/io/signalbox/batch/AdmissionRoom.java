// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.kv.KvBlockAllocator;

/** Decides which requests the blocks of a rank admit. */
final class AdmissionRoom
{
    private final KvBlockAllocator allocator;
    private final BlockSize blockSize;
    private final BlockPromises promises;
    private final PartialBlocks partial;

    AdmissionRoom(
        final KvBlockAllocator allocator,
        final BlockSize blockSize,
        final BlockPromises promises,
        final PartialBlocks partial)
    {
        this.allocator = allocator;
        this.blockSize = blockSize;
        this.promises = promises;
        this.partial = partial;
    }

    /**
     * Whether all known tokens of the request, and the blocks that it is promised, fit beside its match and what others were
     * promised; matched blocks, and the one that it copies, must not be counted as evictable.
     *
     * @param watermark blocks that are left over.
     */
    boolean fits(final Request request, final int matched, final int promised, final int watermark)
    {
        long allocatable = allocator.allocatableCount() - promises.owed() - watermark - partial.kept();
        for (int i = 0; i < matched; i++)
        {
            allocatable -= allocator.isEvictable(request.blockTable[i]) ? 1 : 0;
        }
        return Math.max(knownBlocks(request), promised) - matched <= allocatable;
    }

    /**
     * Chooses what the request copies behind its match, unless it would not fit then.
     *
     * @param generation of the cache.
     * @return the tokens.
     */
    int chooseCopy(
        final Request request, final int matched, final int promised, final int watermark, final int generation)
    {
        final int tokens = partial.choose(request, matched, generation);
        return tokens == 0 || fits(request, matched, promised, watermark) ? tokens : partial.chooseNothing();
    }

    /** Blocks of the known tokens of the request. */
    int knownBlocks(final Request request)
    {
        return blockSize.blocksFor(request.knownTokens());
    }

    /** Blocks that the request needs at its largest output. */
    int mostBlocks(final Request request)
    {
        return (int)BlockSize.blocksNeeded(request.promptTokens(), request.mostTokens() - request.promptTokens(),
            blockSize.tokens());
    }

    /** Blocks that are promised to the request when it is admitted. */
    int promised(final Request request, final AdmissionPromise promise)
    {
        return switch (promise)
        {
            case NOTHING -> 0;
            case WHOLE -> mostBlocks(request);
        };
    }
}
