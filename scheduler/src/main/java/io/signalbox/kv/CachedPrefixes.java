// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/**
 * What a pool knows of block hashes: which block is found under which, and which registered block without an owner is
 * evicted next. The allocator has checked ids and hashes before it calls; a method that refuses changes nothing.
 */
interface CachedPrefixes
{
    /** The parent hash of a first block. */
    long ROOT = KvBlockAllocator.NO_HASH;

    /** The block found under the hash, or {@link BlockRecords#NO_BLOCK}. */
    int find(long hash);

    /** Entries that can be found. */
    int size();

    /** Registered blocks without an owner. */
    int cached();

    /** Those of them that {@link #evict} can take. */
    int evictable();

    /** Whether the block is one of them. */
    boolean isEvictable(int block);

    /** Registers all blocks, or refuses them and registers none. */
    void register(int[] blocks, long[] hashes, long[] parents);

    /** Registers one block that has no hash; false where another one keeps the hash. */
    boolean register(int block, long hash, long parentHash, int depth);

    /** The block has just lost its last owner and stays cached. */
    void cache(int block);

    /** The block, cached until now, is about to get an owner. */
    void own(int block);

    /** The block's last use has changed. */
    void touch(int block, long timestamp);

    /** The block loses its hash; it has no owner or is about to lose the last one. */
    void forget(int block);

    /** Chooses {@code count} evictable blocks, in the order of eviction, and forgets them. */
    void evict(int count, int[] blocks, long[] hashes);

    /**
     * The longest known prefix among {@code hashes[start .. end)}.
     *
     * @param blocks receives its blocks from {@code offset} on.
     * @return the number of blocks.
     */
    int longestMatch(long[] hashes, int start, int end, int[] blocks, int offset);

    void clear();

    long digest();
}
