// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/** Notified when data kept for a KV block becomes invalid. Must not call the allocator nor throw. */
public interface KvBlockListener
{
    /** Blocks that have just got a new first owner. */
    void onHandedOut(int[] blockIds, int offset, int count);

    /** Every block is free again. */
    void onReset();
}
