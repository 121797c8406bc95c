// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.journal.JournalRetention;

import java.nio.file.Path;

/** Says that an answer is of a part of a run. */
final class RemovedRecords
{
    private RemovedRecords()
    {
    }

    /** On standard error: the answer itself has the form that it has for every journal. */
    static void note(final Console console, final String command, final Path journal)
    {
        final long first = JournalRetention.firstRecord(journal);
        if (first > 0)
        {
            console.err().println(command + ": " + journal + " begins at record " + first + ", because its older " +
                "segments were removed: what is ahead of it is not in the answer, nor are requests submitted there.");
        }
    }
}
