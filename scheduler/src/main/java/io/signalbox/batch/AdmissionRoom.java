// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.kv.KvBlockAllocator;

/** Decides which requests the blocks of a rank admit. */
final class AdmissionRoom
{
    private final KvBlockAllocator allocator;
    private final BlockSize blockSize;
    private final BlockPromises promises;

    AdmissionRoom(final KvBlockAllocator allocator, final BlockSize blockSize, final BlockPromises promises)
    {
        this.allocator = allocator;
        this.blockSize = blockSize;
        this.promises = promises;
    }

    /**
     * Whether all known tokens of the request, and the blocks that it is promised, fit beside its match and what others were
     * promised; matched blocks must not be counted as evictable.
     *
     * @param watermark blocks that are left over.
     */
    boolean fits(final Request request, final int matched, final int promised, final int watermark)
    {
        long allocatable = allocator.allocatableCount() - promises.owed() - watermark;
        for (int i = 0; i < matched; i++)
        {
            allocatable -= allocator.isEvictable(request.blockTable[i]) ? 1 : 0;
        }
        return Math.max(knownBlocks(request), promised) - matched <= allocatable;
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
