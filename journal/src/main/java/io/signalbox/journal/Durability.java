// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/** Durability of a group once it is acknowledged. The cost of each level is in docs/journal.md. */
public enum Durability
{
    /** Survives a killed process: the group is in the page cache when append returns. Nothing is synced. */
    PROCESS,
    /** Survives power loss after the batch: one sync when the ring has no further group at hand, and before each result. */
    BATCH,
    /** Survives power loss after each append: one sync per group. */
    RECORD
}
