// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/**
 * Told of blocks that a release or an eviction has taken the hash of, when that operation is complete; must not call the
 * allocator. Forgetting all prefixes and a reset concern every block and tell nobody. A
 * failing observer keeps no other one from being told, and its exception reaches the caller of the operation afterwards.
 */
@FunctionalInterface
public interface DeregistrationObserver
{
    /**
     * The arrays are only good during the call.
     *
     * @param blockIds    blocks in the order in which they returned to the pool; without caching them, a release also
     *                    names blocks that never had a hash.
     * @param blockHashes what each was registered under, {@link KvBlockAllocator#NO_HASH} where it was not.
     */
    void onBlocksDeregistered(int[] blockIds, long[] blockHashes, int count);
}
