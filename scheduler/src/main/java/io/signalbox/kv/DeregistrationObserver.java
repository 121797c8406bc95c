// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/**
 * Notified of blocks that lost their hash in a release or an eviction, when that operation is complete; must not call the
 * allocator. Forgetting all prefixes and a reset concern every block and notify no observer. If an observer fails, the
 * others are notified all the same, and the caller of the operation gets its exception.
 */
@FunctionalInterface
public interface DeregistrationObserver
{
    /**
     * The arrays are valid during the call only.
     *
     * @param blockIds    blocks in the order in which they returned to the pool; without caching them, a release also
     *                    names blocks that never had a hash.
     * @param blockHashes hash of each block, {@link KvBlockAllocator#NO_HASH} if it had none.
     */
    void onBlocksDeregistered(int[] blockIds, long[] blockHashes, int count);
}
