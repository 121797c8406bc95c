// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import java.util.List;

/** A change of the cached blocks of a rank. */
sealed interface KvEvent
{
    /** @param blocks each is the parent of the next one. */
    record Stored(List<CachedBlock> blocks) implements KvEvent
    {
    }

    /** @param hashes of blocks that prefix matches no longer find. */
    record Removed(List<Long> hashes) implements KvEvent
    {
    }

    /** Prefix matches find no block any more. */
    record Cleared() implements KvEvent
    {
    }
}
