// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.journal.segment;

import io.signalbox.journal.JournalReader;

/** A segment that reads the journal. */
final class BadSegment
{
    private final JournalReader above;

    BadSegment(final JournalReader above)
    {
        this.above = above;
    }

    boolean same(final Object other)
    {
        return above.equals(other);
    }
}
