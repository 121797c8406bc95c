// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.router.DpRouters;

import java.nio.file.Path;

/** Retention for runs of some thousands of groups: fewer of them count as unseen by clients. */
public final class SmallRetention
{
    private SmallRetention()
    {
    }

    /** The same journal, which is looked after every few milliseconds, with fewer groups that count as unseen. */
    public static DirectoryJournal prompt(final DirectoryJournal journal, final long unseenGroups)
    {
        return journal.withRhythm(new JournalUpkeep.Rhythm(unseenGroups, 5));
    }

    /**
     * Keeps two segments and what is needed.
     *
     * @param unseenGroups groups whose ends a client may not have seen.
     */
    public static UpkeepListener.Removal apply(final Path journal, final long unseenGroups)
    {
        return apply(journal, unseenGroups, DpRouters.installed());
    }

    /** The same of a run with another router. */
    public static UpkeepListener.Removal apply(final Path journal, final long unseenGroups, final DpRouters routers)
    {
        return new JournalRetention(journal, RetentionLimits.NONE.withMostSegments(2), routers,
            ReadProgress.NONE, unseenGroups).apply();
    }
}
