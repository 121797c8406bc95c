// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.router.DpRouters;

import java.nio.file.Path;

/** Removes old segments of a small journal: fewer groups than usual count as unseen by clients. */
public final class Shortening
{
    private static final long UNSEEN_GROUPS = 16;

    private Shortening()
    {
    }

    /** Keeps two segments and what is needed. */
    public static UpkeepListener.Removal of(final Path journal)
    {
        return new JournalRetention(journal, RetentionLimits.NONE.withMostSegments(2), DpRouters.installed(),
            ReadProgress.NONE, UNSEEN_GROUPS).apply();
    }
}
