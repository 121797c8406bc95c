// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.kv.KvBlockException.Reason;

/** Registers a list of blocks in a {@link PrefixTree}, all of them or none, in time that grows with the list alone. */
final class BatchRegistration
{
    private final PrefixTree tree;
    private final BlockRecords records;
    private int addedCount;
    private int[] added = new int[16];
    /** Places of the list whose parent was not known when they came. */
    private int unresolvedCount;
    private int[] unresolved = new int[16];

    BatchRegistration(final PrefixTree tree, final BlockRecords records)
    {
        this.tree = tree;
        this.records = records;
    }

    void register(final int[] blocks, final long[] hashes, final long[] parents)
    {
        begin(blocks.length);
        for (int i = 0; i < blocks.length; i++)
        {
            final long known = records.hash(blocks[i]);
            if (known == KvBlockAllocator.NO_HASH)
            {
                add(blocks[i], hashes[i], parents == null ? PrefixTree.ROOT : parents[i], i);
            }
            else if (known != hashes[i])
            {
                undo();
                throw new KvBlockException(Reason.OTHER_HASH, "block " + blocks[i] + " is registered or named as " + known +
                    " and cannot become " + hashes[i] + "; release it first.", blocks[i]);
            }
        }
        refuseParentsAfterChildren(blocks, parents);
    }

    private void begin(final int length)
    {
        addedCount = 0;
        unresolvedCount = 0;
        if (length > added.length)
        {
            added = new int[Math.max(length, 2 * added.length)];
            unresolved = new int[added.length];
        }
    }

    private void add(final int block, final long hash, final long parent, final int place)
    {
        final boolean isResolved = parent == PrefixTree.ROOT || tree.find(parent) != BlockRecords.NO_BLOCK;
        if (tree.register(block, hash, parent, parent == PrefixTree.ROOT ? 0 : BlockRecords.UNKNOWN_DEPTH))
        {
            added[addedCount++] = block;
            unresolved[unresolvedCount] = place;
            unresolvedCount += isResolved ? 0 : 1;
        }
    }

    /** Refuses a parent that was registered after its child: blocks could build upon each other in a circle. */
    private void refuseParentsAfterChildren(final int[] blocks, final long[] parents)
    {
        for (int i = 0; i < unresolvedCount; i++)
        {
            final int place = unresolved[i];
            final int parent = tree.find(parents[place]);
            if (parent != BlockRecords.NO_BLOCK)
            {
                undo();
                throw new KvBlockException(Reason.PARENT_AFTER_CHILD, "block " + blocks[place] + " comes before block " +
                    parent + " with hash " + parents[place] + ", which it names as its parent; give parents first.",
                    blocks[place], parent);
            }
        }
    }

    private void undo()
    {
        while (addedCount > 0)
        {
            tree.unregister(added[--addedCount]);
        }
    }
}
