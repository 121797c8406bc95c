// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalLock;

import java.nio.file.Path;

/**
 * Distinguishes a journal that is still being written from one whose writer was stopped. While a journal is written, its
 * end can have any form, and none is damage. Reads only.
 *
 * @param directory    of the journal.
 * @param segmentCount segments that were there when reading began.
 * @param atStart      process that was writing then; {@code null} if none was.
 */
record WriterProbe(Path directory, int segmentCount, String atStart)
{
    /** A writer writes its current segment and creates the next one, which may have been listed before. */
    private static final int SEGMENTS_IN_MOTION = 2;

    /** Looks for a writer ahead of the first read. */
    static WriterProbe of(final Path directory)
    {
        // Records of a writer that starts later are not read; a writer that stops later is remembered.
        final String atStart = JournalLock.holder(directory);
        return new WriterProbe(directory, DirectoryFiles.of(directory).segmentCount(), atStart);
    }

    /** The refusal to throw: {@code refusal}, unless an active writer explains it. */
    JournalException judge(final JournalException refusal, final long records)
    {
        final boolean explained = switch (refusal.kind())
        {
            case TORN_TAIL, SHORT_READ, MISSING_SEGMENT, CORRUPT_RECORD, NO_RECORD, NOT_A_JOURNAL ->
                refusal.segment() >= segmentCount - SEGMENTS_IN_MOTION;
            default -> false;
        };
        final JournalException beingWritten = explained ? beingWritten(records) : null;
        return beingWritten == null ? refusal : beingWritten;
    }

    /** The refusal of an end that a writer may still move; {@code null} if no process is writing. */
    JournalException beingWritten(final long records)
    {
        final String now = JournalLock.holderBesideFile(directory);
        if (now == null && atStart == null)
        {
            return null;
        }
        final String good = records == 0 ? "" : "records 0 to " + (records - 1) + " are good; ";
        final String sentence = now == null
            ? directory + " was being written by " + atStart + " while it was read; " + good + "read it again."
            : directory + " is being written by " + now + "; " + good + "read it again when that has ended.";
        return new JournalException(Kind.BEING_WRITTEN, sentence, -1, -1, records, null);
    }
}
