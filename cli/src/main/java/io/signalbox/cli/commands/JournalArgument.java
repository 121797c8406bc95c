// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;

import java.nio.file.Path;

/** The directory that a command reads. */
final class JournalArgument
{
    private JournalArgument()
    {
    }

    /** @throws ConfigException if it is empty, which would mean the working directory. */
    static void requireNamed(final Path journal)
    {
        if (journal.toString().isEmpty())
        {
            throw new ConfigException("JOURNAL is empty; give the directory of a journal.");
        }
    }
}
