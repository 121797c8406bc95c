// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.nio.file.Path;
import java.util.Map;

/** A process that uses the library as an embedder does: one operation, and the refusal with its kind if there is one. */
final class LibraryUser
{
    private LibraryUser()
    {
    }

    public static void main(final String[] arguments)
    {
        final Path journal = Path.of(arguments[1]);
        try
        {
            switch (arguments[0])
            {
                case "create" ->
                    JournalWriter.create(journal, Map.of("a", "b"), JournalConfig.of(Durability.PROCESS)).close();
                case "recover" -> JournalRecovery.recover(journal);
                default -> JournalReader.open(journal).close();
            }
            System.out.println("done");
        }
        catch (final JournalException e)
        {
            System.out.println(e.kind() + " " + e.getMessage());
        }
    }
}
