// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.engine.GroupJournal;
import io.signalbox.scheduler.Scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Tests whether journals work in a directory: writes, syncs, reads, verifies and removes a small one. */
public final class JournalProbe
{
    private JournalProbe()
    {
    }

    /**
     * Removes all files that it creates, also on a failure.
     *
     * @param parent   an existing directory; the journal is kept in a temporary directory below it.
     * @param settings the run description.
     * @param run      runs an engine that journals into its argument, and closes the engine.
     * @return the verification of the journal that the run wrote.
     * @throws IOException      if the temporary directory cannot be made or removed.
     * @throws JournalException if the journal cannot be written or read.
     */
    public static Verification run(
        final Path parent, final Map<String, String> settings, final Consumer<GroupJournal> run) throws IOException
    {
        final Path directory = Files.createTempDirectory(parent, "signalbox-probe-");
        try
        {
            final Path journal = directory.resolve("journal");
            try (JournalWriter writer = JournalWriter.create(journal, settings, JournalConfig.of(Durability.BATCH)))
            {
                run.accept(writer);
            }
            return JournalVerifier.verify(journal, Scheduler::new);
        }
        finally
        {
            delete(directory);
        }
    }

    private static void delete(final Path directory) throws IOException
    {
        final List<Path> files;
        try (Stream<Path> walk = Files.walk(directory))
        {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path file : files)
        {
            Files.delete(file);
        }
    }
}
