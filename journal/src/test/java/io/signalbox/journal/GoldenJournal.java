// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.scheduler.Scheduler;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** A journal that an earlier build wrote, unpacked from the resources. Also a program that reads and verifies one. */
public final class GoldenJournal
{
    private GoldenJournal()
    {
    }

    /** Prints what {@link #verified} says of the journal in a directory. */
    public static void main(final String[] arguments)
    {
        System.out.println(verified(Path.of(arguments[0])));
    }

    /** Every group is re-run. */
    static String verified(final Path journal)
    {
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        return verification.records() + " records, " + verification.groups() + " groups, digest " + verification.digest() +
            ", " + verification.ending() + ", " + (verification.matches() ? "equal" : verification.difference().toString());
    }

    /** @param name of a file below golden/, without its ending. */
    public static Path unpack(final String name, final Path directory) throws IOException
    {
        final Path journal = directory.resolve(name);
        try (InputStream resource = GoldenJournal.class.getResourceAsStream("/golden/" + name + ".zip");
            ZipInputStream zip = new ZipInputStream(resource))
        {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry())
            {
                final Path file = journal.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
        return journal;
    }
}
