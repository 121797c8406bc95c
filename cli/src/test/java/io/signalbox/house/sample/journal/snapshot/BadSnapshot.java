// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.journal.snapshot;

import io.signalbox.journal.JournalReader;

/** A snapshot that reads the journal. */
final class BadSnapshot
{
    private final JournalReader above;

    BadSnapshot(final JournalReader above)
    {
        this.above = above;
    }

    boolean same(final Object other)
    {
        return above.equals(other);
    }
}
