// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.StateDigest;

import java.util.Arrays;

/**
 * The KV blocks of one rank: owners, issue, hash with its place in the prefix, and last use. A block is <em>owned</em>,
 * <em>cached</em> (a hash and no owner) or free.
 */
public final class BlockStates
{
    public static final int NO_BLOCK = -1;
    public static final long NO_HASH = 0;
    /** As in the scheduler's prefix index. */
    private static final int UNKNOWN_DEPTH = (1 << 24) - 1;

    private final boolean keepsCachedBlocks;
    final int[] owners;
    final int[] issues;
    final long[] hashes;
    /** Step that used the block last; 0: none since it was free. */
    final long[] lastUses;
    /** Blocks ahead of it in its prefix; without meaning unless it has a hash. */
    final int[] depths;
    /** The cached block that it builds upon. */
    final int[] parents;
    /** Place in the block table of the request that the block was allocated to. */
    final int[] places;
    /** The block ahead of it in that table. */
    final int[] predecessors;
    private int owned;
    private int cached;
    private long digest;

    BlockStates(final int count, final boolean keepsCachedBlocks)
    {
        this.keepsCachedBlocks = keepsCachedBlocks;
        owners = new int[count];
        issues = new int[count];
        hashes = new long[count];
        lastUses = new long[count];
        depths = new int[count];
        parents = new int[count];
        places = new int[count];
        predecessors = new int[count];
        Arrays.fill(parents, NO_BLOCK);
        Arrays.fill(predecessors, NO_BLOCK);
    }

    /** Blocks of the rank, without the dummy block. */
    public int count()
    {
        return owners.length - 1;
    }

    public int owned()
    {
        return owned;
    }

    public int cached()
    {
        return cached;
    }

    public int free()
    {
        return count() - owned - cached;
    }

    public int owners(final int block)
    {
        return owners[block];
    }

    /** How often the block was handed out. */
    public int issue(final int block)
    {
        return issues[block];
    }

    /** {@link #NO_HASH}: none. */
    public long hash(final int block)
    {
        return hashes[block];
    }

    /** The step that used the block last. Among blocks that can be evicted, the one used longest ago is evicted first. */
    public long lastUse(final int block)
    {
        return lastUses[block];
    }

    /** Blocks ahead of a block with a hash in its prefix. */
    public int depth(final int block)
    {
        return depths[block];
    }

    /** The cached block that a block with a hash builds upon; {@link #NO_BLOCK}: none, or it is not known. */
    public int parent(final int block)
    {
        return parents[block];
    }

    public boolean isCached(final int block)
    {
        return owners[block] == 0 && hashes[block] != NO_HASH;
    }

    /** The same number as the scheduler's digest of this rank's prefix index. */
    public long prefixIndexDigest()
    {
        return digest;
    }

    void requireBlock(final int block)
    {
        if (block < 0 || block >= count())
        {
            throw new IllegalStateException("block " + block + " is none of the rank's, which are 0 to " + (count() - 1));
        }
    }

    /** The block, free until now, gets its first owner. */
    void allocate(final int block, final int issue, final int place, final int predecessor, final long step)
    {
        requireBlock(block);
        if (owners[block] != 0 || hashes[block] != NO_HASH || issue != issues[block] + 1)
        {
            throw new IllegalStateException("block " + block + " is handed out in issue " + issue + ", but has " +
                owners[block] + " owners, hash " + Long.toHexString(hashes[block]) + " and issue " + issues[block]);
        }
        issues[block] = issue;
        owners[block] = 1;
        owned++;
        places[block] = place;
        predecessors[block] = predecessor;
        use(block, step);
    }

    private void use(final int block, final long step)
    {
        lastUses[block] = keepsCachedBlocks ? step : 0;
    }

    /** The block, owned or cached, gets a further owner. */
    void share(final int block, final int issue, final long step)
    {
        requireBlock(block);
        if (owners[block] == 0 && hashes[block] == NO_HASH || issue != issues[block])
        {
            throw new IllegalStateException("block " + block + " is shared in issue " + issue + ", but has " +
                owners[block] + " owners and issue " + issues[block]);
        }
        if (owners[block]++ == 0)
        {
            cached--;
            owned++;
        }
        use(block, step);
    }

    void release(final int block)
    {
        requireBlock(block);
        if (owners[block] == 0)
        {
            throw new IllegalStateException("block " + block + " is released, but has no owner");
        }
        if (--owners[block] == 0)
        {
            owned--;
            if (hashes[block] != NO_HASH && keepsCachedBlocks)
            {
                cached++;
            }
            else
            {
                free(block);
            }
        }
    }

    private void free(final int block)
    {
        lastUses[block] = 0;
        if (hashes[block] != NO_HASH)
        {
            forget(block);
        }
    }

    /** An owned block can be found under the hash from now on. */
    void register(final int block, final long hash)
    {
        requireBlock(block);
        if (owners[block] == 0 || hashes[block] != NO_HASH || hash == NO_HASH)
        {
            throw new IllegalStateException("block " + block + " is registered, but has " + owners[block] +
                " owners and hash " + Long.toHexString(hashes[block]));
        }
        final int ahead = predecessors[block];
        final int parent = ahead != NO_BLOCK && hashes[ahead] != NO_HASH ? ahead : NO_BLOCK;
        hashes[block] = hash;
        depths[block] = parent == NO_BLOCK ? places[block] : Math.min(depths[parent] + 1, UNKNOWN_DEPTH);
        parents[block] = keepsCachedBlocks ? parent : NO_BLOCK;
        digest += term(block);
    }

    /** A cached block is free from now on. */
    void evict(final int block, final long hash)
    {
        requireBlock(block);
        if (owners[block] != 0 || hashes[block] != hash || hash == NO_HASH)
        {
            throw new IllegalStateException("block " + block + " is evicted with hash " + Long.toHexString(hash) +
                ", but has " + owners[block] + " owners and hash " + Long.toHexString(hashes[block]));
        }
        forget(block);
        cached--;
        lastUses[block] = 0;
    }

    private void forget(final int block)
    {
        digest -= term(block);
        hashes[block] = NO_HASH;
        parents[block] = NO_BLOCK;
    }

    /** No block is found under a hash any more. */
    void forgetPrefixes()
    {
        for (int block = 0; block < owners.length; block++)
        {
            if (hashes[block] != NO_HASH)
            {
                forget(block);
                lastUses[block] = owners[block] == 0 ? 0 : lastUses[block];
            }
        }
        cached = 0;
    }

    /** Counts blocks and digest anew, after the arrays were filled. */
    void recount()
    {
        owned = 0;
        cached = 0;
        digest = 0;
        for (int block = 0; block < owners.length; block++)
        {
            owned += owners[block] > 0 ? 1 : 0;
            cached += isCached(block) ? 1 : 0;
            digest += hashes[block] == NO_HASH ? 0 : term(block);
        }
    }

    private long term(final int block)
    {
        return StateDigest.mix(hashes[block], (long)block << Integer.SIZE | depths[block], parents[block]);
    }
}
