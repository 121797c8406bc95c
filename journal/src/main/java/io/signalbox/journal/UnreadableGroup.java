// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;

/** A group whose bytes are as they were written, and that no scheduler can have written. */
final class UnreadableGroup
{
    private UnreadableGroup()
    {
    }

    /** @param fault of the code that read the reader's current group. */
    static JournalException refusal(final JournalReader reader, final Throwable fault)
    {
        return new JournalException(Kind.CORRUPT_RECORD, "record " + reader.sequence() + ": its group cannot be applied (" +
            (fault.getMessage() == null ? fault.getClass().getSimpleName() : fault.getMessage()) +
            "); records ahead of it are good; the program that wrote it is at fault.", fault);
    }
}
