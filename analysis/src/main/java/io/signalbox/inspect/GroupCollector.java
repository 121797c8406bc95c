// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.GroupSource;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalReader;

import java.nio.file.Path;

/** Receives the groups of a journal in their order. */
interface GroupCollector
{
    /** Groups that one thread reads: fewer take less time than another thread to read them. */
    long ALONE = 10_000;

    /** @param groups holds the current group. */
    void onGroup(GroupSource groups);

    /**
     * Reads a journal to its end, or to the last group that is whole if it is being written.
     *
     * @throws JournalException if the journal is damaged.
     */
    static JournalEnd read(final Path directory, final JournalReader reader, final GroupCollector collector)
    {
        return readTo(directory, Long.MAX_VALUE, reader, collector);
    }

    /** As {@link #read}, up to the group of a record; the journal then counts as being written. */
    static JournalEnd readTo(
        final Path directory, final long record, final JournalReader reader, final GroupCollector collector)
    {
        GroupSource groups = reader;
        boolean isAlone = record == Long.MAX_VALUE;
        boolean more = true;
        try
        {
            while (more && groups.sequence() < record)
            {
                if (isAlone && reader.groups() >= ALONE)
                {
                    groups = GroupSource.ahead(reader);
                    isAlone = false;
                }
                more = groups.next();
                if (more)
                {
                    collect(directory, groups, collector);
                }
            }
        }
        catch (final JournalException e)
        {
            if (e.kind() == Kind.BEING_WRITTEN)
            {
                return JournalEnd.BEING_WRITTEN;
            }
            throw e;
        }
        finally
        {
            groups.stop();
        }
        return more ? JournalEnd.BEING_WRITTEN : JournalEnd.of(reader.ending());
    }

    /** The record's bytes are as they were written, but they may not be a group of a scheduler. */
    static void collect(final Path directory, final GroupSource groups, final GroupCollector collector)
    {
        try
        {
            collector.onGroup(groups);
        }
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException | NullPointerException e)
        {
            final JournalException fault = groups.undecodable(e);
            throw new JournalException(fault.kind(), directory + ", " + fault.getMessage(), e);
        }
    }
}
