// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;

/** A group whose bytes are as they were written, and that no scheduler can have written. */
public final class UnreadableGroup
{
    private UnreadableGroup()
    {
    }

    /**
     * @param cause what the code threw that decoded the group. Readers keep what lives: {@code null} is met by a group that
     *              asks for something that the groups ahead did not begin.
     */
    public static JournalException undecodable(final long record, final Throwable cause)
    {
        final String reason = cause instanceof NullPointerException ?
            "it is about a request or a step that no group ahead of it began" : cause.getMessage();
        return new JournalException(Kind.CORRUPT_RECORD, "record " + record + ": its group cannot be decoded (" + reason +
            "); records ahead of it are good; the program that wrote it is at fault.", cause);
    }

    /** @param fault of the code that applied the group. */
    public static JournalException inapplicable(final long record, final Throwable fault)
    {
        return new JournalException(Kind.CORRUPT_RECORD, "record " + record + ": its group cannot be applied (" +
            (fault.getMessage() == null ? fault.getClass().getSimpleName() : fault.getMessage()) +
            "); records ahead of it are good; the program that wrote it is at fault.", fault);
    }
}
