// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.kv.KvBlockException.Reason;

/** Refuses calls to a block allocator that cannot be carried out, before anything is changed. */
final class BlockArguments
{
    private final KvBlockConfig config;
    private final BlockRecords records;
    private final int dummyBlock;

    BlockArguments(final KvBlockConfig config, final BlockRecords records)
    {
        this.config = config;
        this.records = records;
        dummyBlock = config.poolSize() - 1;
    }

    void checkCount(final int count)
    {
        if (count < 0)
        {
            throw new KvBlockException(
                Reason.NEGATIVE_COUNT, "a count of " + count + " blocks is negative; give 0 or more.");
        }
    }

    void checkRange(final int length, final int offset, final int count)
    {
        checkCount(count);
        if (offset < 0 || offset > length - count)
        {
            throw new KvBlockException(Reason.LENGTH_MISMATCH, count + " blocks from place " + offset +
                " on do not fit an array of " + length + "; give a longer one.");
        }
    }

    void checkBlocks(final int[] blockIds, final int offset, final int count)
    {
        checkRange(blockIds.length, offset, count);
        for (int i = offset; i < offset + count; i++)
        {
            checkBlock(blockIds[i]);
        }
    }

    void checkBlock(final int blockId)
    {
        if (blockId < 0 || blockId >= dummyBlock)
        {
            throw new KvBlockException(Reason.UNKNOWN_BLOCK, "block " + blockId + (blockId == dummyBlock ?
                " is the dummy block, which has no owner and no hash" : " is not in the pool of " + config.poolSize() +
                " blocks") + "; give ids from 0 to " + (dummyBlock - 1) + ".", blockId);
        }
    }

    /** Free blocks can neither be shared nor named. */
    void checkOwnedOrCached(final int blockId)
    {
        if (records.owners(blockId) == 0 && records.hash(blockId) == KvBlockAllocator.NO_HASH)
        {
            throw new KvBlockException(Reason.NOT_OWNED, "block " + blockId +
                " is free and can neither be shared nor get a hash; allocate it first.", blockId);
        }
    }

    void checkHash(final long hash, final int blockId)
    {
        if (hash <= 0)
        {
            throw new KvBlockException(Reason.ILLEGAL_HASH, "block hash " + hash + " given for block " + blockId +
                " is not between 1 and 2^63 - 1, because 0 and -1 stand for the root and for none; hash the block again.",
                blockId);
        }
    }

    void checkPrefixCaching()
    {
        if (!config.prefixCaching())
        {
            throw new KvBlockException(Reason.PREFIX_CACHING_OFF,
                "blocks cannot be shared or get a hash with prefix caching off; configure the pool with it.");
        }
    }

    /** @param isUnused whether every block is free, as after a reset. */
    void checkClock(final long clock, final long value, final boolean isUnused)
    {
        final boolean startsOver = value == 0 && isUnused;
        if (value > BlockRecords.MAX_TIMESTAMP || value < clock && !startsOver)
        {
            throw new KvBlockException(Reason.ILLEGAL_CLOCK, "the LRU clock cannot go from " + clock + " to " + value +
                "; it runs forward, up to " + BlockRecords.MAX_TIMESTAMP + ", and restarts at 0 after a reset.");
        }
    }

    /** Any block of the pool, the dummy block included. */
    void checkInPool(final int blockId)
    {
        if (blockId < 0 || blockId > dummyBlock)
        {
            checkBlock(blockId);
        }
    }

    void checkRetain(final int[] blockIds, final int offset, final int count)
    {
        for (int i = offset; i < offset + count; i++)
        {
            checkOwnedOrCached(blockIds[i]);
            if (records.owners(blockIds[i]) > BlockRecords.MAX_OWNERS - count)
            {
                throw new KvBlockException(Reason.TOO_MANY_OWNERS, "block " + blockIds[i] + " has " +
                    records.owners(blockIds[i]) + " owners and cannot get " + count + " more; release some first.",
                    blockIds[i]);
            }
        }
    }

    void checkRegistration(final int blockId, final long hash, final long parentHash, final int depth)
    {
        checkPrefixCaching();
        checkBlock(blockId);
        checkHash(hash, blockId);
        if (parentHash != KvBlockAllocator.NO_HASH)
        {
            checkHash(parentHash, blockId);
        }
        if (depth < 0 || depth >= BlockRecords.UNKNOWN_DEPTH)
        {
            throw new KvBlockException(Reason.ILLEGAL_DEPTH, "block " + blockId + " cannot be at depth " + depth +
                " of a prefix; give 0 to " + (BlockRecords.UNKNOWN_DEPTH - 1) + ".", blockId);
        }
        checkOwnedOrCached(blockId);
        final long known = records.hash(blockId);
        if (known != KvBlockAllocator.NO_HASH && known != hash)
        {
            throw new KvBlockException(Reason.OTHER_HASH, "block " + blockId + " is registered as " + known +
                " and cannot become " + hash + "; release it first.", blockId);
        }
    }

    void checkRegistration(final int[] blockIds, final long[] hashes, final long[] parents)
    {
        checkPrefixCaching();
        if (blockIds.length != hashes.length || (parents != null && parents.length != hashes.length))
        {
            throw new KvBlockException(Reason.LENGTH_MISMATCH, blockIds.length + " blocks, " + hashes.length +
                " hashes and " + (parents == null ? "no" : parents.length) +
                " parents cannot be registered together; give as many of each.", blockIds);
        }
        checkBlocks(blockIds, 0, blockIds.length);
        for (int i = 0; i < blockIds.length; i++)
        {
            checkHash(hashes[i], blockIds[i]);
            checkOwnedOrCached(blockIds[i]);
            if (parents != null && parents[i] != KvBlockAllocator.NO_HASH)
            {
                checkHash(parents[i], blockIds[i]);
            }
        }
    }

    KvBlockException overRelease(final int[] blockIds, final int offset, final int count, final int blockId)
    {
        int named = 0;
        for (int i = offset; i < offset + count; i++)
        {
            named += blockIds[i] == blockId ? 1 : 0;
        }
        return new KvBlockException(Reason.OVER_RELEASE, "block " + blockId + " is released " + named +
            " times but has " + records.owners(blockId) + " owners; release each reference once.",
            blockId);
    }
}
