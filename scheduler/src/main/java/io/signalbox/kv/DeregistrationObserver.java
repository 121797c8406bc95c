// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/**
 * Told of blocks that have lost their hash, when the operation that took it is complete; must not call the allocator. A
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
