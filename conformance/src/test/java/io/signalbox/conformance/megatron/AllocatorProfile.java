// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

/**
 * Which behaviour of Megatron Core's {@code KVBlockAllocator} decides the order of block ids, what a release counts and
 * what eviction looks at. Both were recorded from the original.
 */
public enum AllocatorProfile
{
    /**
     * As of May 2026: a block that is named twice in one release loses one reference, blocks return to the pool in the
     * order given, and eviction takes the oldest block even if others build upon it.
     */
    MEGATRON_2026_05,
    /**
     * As of August 2026: a release counts every occurrence, blocks return to the pool by ascending id, and eviction
     * takes the oldest block that no other cached block builds upon.
     */
    MEGATRON_2026_08
}
