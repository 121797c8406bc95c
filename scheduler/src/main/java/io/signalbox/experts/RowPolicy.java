// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

/** What a store does to a row that is already there, and what a row that is not there reads as. */
public enum RowPolicy
{
    /** The first write of a row stands; a row without one is missing and reads as -1; a row names distinct experts. */
    CONTRACT,
    /**
     * The last write of a row stands; a row without one reads as expert 0: what Megatron Core's
     * {@code KVBlockAllocator} does. A store through a shared block changes the row for all who share its page.
     */
    REFERENCE
}
