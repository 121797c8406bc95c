// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.journal.disk;

import io.signalbox.journal.segment.SegmentName;

/** A file that knows how segments are named. */
final class BadDisk
{
    private final SegmentName above;

    BadDisk(final SegmentName above)
    {
        this.above = above;
    }

    boolean same(final Object other)
    {
        return above.equals(other);
    }
}
