// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/** What happens where two blocks claim one hash, or where a cached prefix has a gap. */
public enum PrefixPolicy
{
    /**
     * A hash belongs to the block that registered it first, for as long as that block is registered; a block is never
     * evicted before the blocks that build upon it, and a match ends where a prefix is broken.
     */
    CONTRACT,
    /**
     * As Megatron Core does: the later block takes the hash over, forgetting either block forgets the hash, and a match
     * that finds a deep block without its ancestors ends in {@link KvBlockException.Reason#BROKEN_PREFIX}. Looks at the
     * whole pool in every eviction, as the original does; made for conformance, not for speed.
     */
    REFERENCE
}
