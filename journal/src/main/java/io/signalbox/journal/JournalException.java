// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.nio.file.Path;

/**
 * A journal cannot be written or must not be trusted. The message is one sentence with the fault, its place, the good
 * records, and the remedy.
 */
public final class JournalException extends RuntimeException
{
    private static final long serialVersionUID = 1L;
    private static final long NOWHERE = -1;

    /** The fault, for programs. */
    public enum Kind
    {
        /** A record, or the Chronicle header before it, has other bytes than were written. */
        CORRUPT_RECORD,
        /** A whole record has another sequence number than the next one: records were lost, doubled or moved. */
        SEQUENCE_GAP,
        /** A whole record of another journal or place, or a file of another kind. */
        FOREIGN_FILE,
        /** Two processes wrote the journal at the same time: whole records follow the cut that one of them made. */
        TWO_WRITERS,
        /** Written by another version of this program. */
        UNSUPPORTED_VERSION,
        MISSING_SEGMENT,
        /** The first records are needed, and an operator had them removed. */
        RECORDS_REMOVED,
        /** The run used a router that is not installed, or another version of it. */
        ROUTER_ABSENT,
        /** This program decides otherwise than recorded, or cannot apply an input, so the run cannot be continued. */
        NOT_CONFIRMED,
        /** The file reads as if it ended, but there is evidence that more was written. */
        SHORT_READ,
        /** The last append did not finish. Recovery cuts it and saves its bytes in another file. */
        TORN_TAIL,
        /** The journal is still being written: its end has no meaning yet. */
        BEING_WRITTEN,
        /** A journal's files without one whole record: never begun, or everything was lost. */
        NO_RECORD,
        /** There is no journal here. */
        NOT_A_JOURNAL,
        /** There is a journal here already. */
        ALREADY_EXISTS,
        /** Another writer holds the directory. */
        LOCKED,
        /** The directory or its lock was removed or replaced while a writer held it, or another process wrote there. */
        LOCK_LOST,
        /** This JVM was started without flags that Chronicle Queue or Agrona need. */
        JVM_FLAGS,
        /** The user has no permission to read or write here, or the file system is read-only. */
        ACCESS_DENIED,
        DISK_FULL,
        /** Records appended since the last good sync may be lost; a failed sync is never retried. */
        SYNC_FAILED,
        /** The file system or Chronicle refused an operation. */
        STORE_FAILED,
        /** The writer is closed, or has failed before. */
        CLOSED
    }

    private final Kind kind;
    private final int segment;
    private final long offset;
    private final long sequence;

    public JournalException(final Kind kind, final String message)
    {
        this(kind, message, (int)NOWHERE, NOWHERE, NOWHERE, null);
    }

    public JournalException(final Kind kind, final String message, final Throwable cause)
    {
        this(kind, message, (int)NOWHERE, NOWHERE, NOWHERE, cause);
    }

    public JournalException(
        final Kind kind,
        final String message,
        final int segment,
        final long offset,
        final long sequence,
        final Throwable cause)
    {
        super(message, cause);
        this.kind = kind;
        this.segment = segment;
        this.offset = offset;
        this.sequence = sequence;
    }

    /** The same refusal, with the directory of the journal that it concerns in its message. */
    public JournalException in(final Path directory)
    {
        return getMessage().contains(directory.toString()) ? this :
            new JournalException(kind, directory + ": " + getMessage(), segment, offset, sequence, this);
    }

    public Kind kind()
    {
        return kind;
    }

    /** Number of the segment concerned; -1 if the message names none. */
    public int segment()
    {
        return segment;
    }

    /** Byte offset in the segment's file; -1 if the message names none. */
    public long offset()
    {
        return offset;
    }

    /** First sequence number that cannot be read: every record below it is good. -1 if the message names none. */
    public long sequence()
    {
        return sequence;
    }
}
