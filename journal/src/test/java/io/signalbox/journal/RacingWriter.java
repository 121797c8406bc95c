// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.nio.file.Path;

/** One of two processes that begin a journal in the same directory at once; prints the outcome. */
final class RacingWriter
{
    static final int GROUPS = 50;

    private RacingWriter()
    {
    }

    public static void main(final String[] arguments)
    {
        final JournalConfig options = Runs.options(Durability.PROCESS);
        try (JournalWriter writer = JournalWriter.create(Path.of(arguments[0]), Runs.settings(), options))
        {
            Runs.append(writer, GROUPS);
        }
        catch (final JournalException e)
        {
            System.out.println(e.kind());
            return;
        }
        System.out.println("wrote");
    }
}
