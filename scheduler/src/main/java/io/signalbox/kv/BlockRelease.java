// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/** Releases references to blocks: which blocks become free, in which order, and which stay cached. */
final class BlockRelease
{
    private final boolean prefixCaching;
    private final BlockRecords records;
    private final FreeBlocks free;
    private final PrefixTree prefixes;
    private final DeregisteredBlocks deregistered;
    private final BlockArguments arguments;

    BlockRelease(
        final KvBlockConfig config,
        final BlockRecords records,
        final FreeBlocks free,
        final PrefixTree prefixes,
        final DeregisteredBlocks deregistered,
        final BlockArguments arguments)
    {
        prefixCaching = config.prefixCaching();
        this.records = records;
        this.free = free;
        this.prefixes = prefixes;
        this.deregistered = deregistered;
        this.arguments = arguments;
    }

    /**
     * Removes one reference for each time a block is named.
     *
     * @return how many blocks lost their last owner; their ids are in {@link DeregisteredBlocks#ids()}.
     */
    int removeOwners(final int[] blockIds, final int offset, final int count)
    {
        deregistered.ensureCapacity(count);
        final int[] orphans = deregistered.ids();
        int orphanCount = 0;
        for (int i = offset; i < offset + count; i++)
        {
            final int blockId = blockIds[i];
            final int owners = records.owners(blockId);
            if (owners == 0)
            {
                for (int undone = offset; undone < i; undone++)
                {
                    records.addOwner(blockIds[undone]);
                }
                throw arguments.overRelease(blockIds, offset, count, blockId);
            }
            records.removeOwner(blockId);
            orphans[orphanCount] = blockId;
            orphanCount += owners == 1 ? 1 : 0;
        }
        return orphanCount;
    }

    /** Blocks with a hash stay cached, the others are free. */
    void cacheOrFree(final int orphanCount)
    {
        final int[] orphans = deregistered.ids();
        int nameless = 0;
        for (int i = 0; i < orphanCount; i++)
        {
            if (records.hash(orphans[i]) == KvBlockAllocator.NO_HASH)
            {
                orphans[nameless++] = orphans[i];
            }
            else
            {
                prefixes.cache(orphans[i]);
            }
        }
        free.sort(orphans, nameless);
        for (int i = 0; i < nameless; i++)
        {
            free.push(orphans[i]);
        }
    }

    /**
     * All are free, and those with a hash forget it.
     *
     * @return whether observers must be notified.
     */
    boolean forgetAndFree(final int orphanCount)
    {
        final int[] orphans = deregistered.ids();
        final long[] hashes = deregistered.hashes();
        if (prefixCaching)
        {
            free.sort(orphans, orphanCount);
        }
        for (int i = 0; i < orphanCount; i++)
        {
            hashes[i] = records.hash(orphans[i]);
            if (hashes[i] != KvBlockAllocator.NO_HASH)
            {
                prefixes.forget(orphans[i]);
            }
            free.push(orphans[i]);
        }
        return orphanCount > 0 && prefixCaching;
    }

    /** Blocks {@code [0, end)} forget their hashes; cached ones are free by ascending id. */
    void forgetAll(final int end)
    {
        for (int blockId = 0; blockId < end; blockId++)
        {
            if (records.hash(blockId) != KvBlockAllocator.NO_HASH)
            {
                records.forget(blockId);
                if (records.owners(blockId) == 0)
                {
                    records.timestamp(blockId, 0);
                    free.push(blockId);
                }
            }
        }
        prefixes.clear();
    }
}
