// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/** The files of a journal, for reading only. */
public interface JournalFiles
{
    /** Highest segment number plus one; numbers in between may be missing. */
    int segmentCount();

    /** Where the journal begins; {@code null}: at segment 0, because none was removed. */
    default JournalBeginning beginning()
    {
        return null;
    }

    /** Number of the first segment that counts. */
    default int firstSegment()
    {
        return beginning() == null ? 0 : beginning().start().segment();
    }

    /** Whether the segment is there, with or without content. */
    boolean exists(int segment);

    /** The segment's records; {@code null} if nothing was written. */
    ByteSource open(int segment);

    /** Name of the journal in messages. */
    String journal();

    /** Name of the segment's file of records in messages. */
    String name(int segment);
}
