// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.engine.RecordedRun;
import io.signalbox.engine.RunJournal;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * Keeps one run in a directory, over any number of engines. The first one begins a journal. Each later one continues it,
 * whether the one before closed it or was killed; it must have the same run description. How the journal is written may
 * differ each time: none of {@link JournalConfig} is part of the run.
 */
public final class DirectoryJournal implements RunJournal
{
    private final Path directory;
    private final JournalConfig config;
    private final ReadProgress progress;

    /** @param directory may be missing or empty, or hold a journal. */
    public DirectoryJournal(final Path directory, final JournalConfig config)
    {
        this(directory, config, ReadProgress.NONE);
    }

    /** @param progress receives the progress of the replay. */
    public DirectoryJournal(final Path directory, final JournalConfig config, final ReadProgress progress)
    {
        this.directory = directory;
        this.config = config;
        this.progress = progress;
    }

    /**
     * {@inheritDoc}
     *
     * @throws JournalException if the journal is damaged in a way that no crash leaves, or is being written.
     */
    @Override
    public RecordedRun open(final Map<String, String> description)
    {
        JvmFlags.requireToWrite();
        ChronicleLogging.start();
        return hasSegments() ? opened(description) : begun(description);
    }

    private boolean hasSegments()
    {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) && DirectoryFiles.of(directory).segmentCount() > 0;
    }

    private RecordedRun begun(final Map<String, String> description)
    {
        return new BegunRun(JournalWriter.create(directory, description, config));
    }

    private RecordedRun opened(final Map<String, String> description)
    {
        final JournalLock lock = JournalLock.acquireUnsigned(directory);
        JournalReader reader = null;
        try
        {
            lock.sign();
            final DirectoryFiles files = DirectoryFiles.of(directory, progress);
            final ScanEnd unused = endWithoutRecord(files);
            if (unused != null)
            {
                new SetAside(directory, files).emptySegments(unused);
                return new BegunRun(JournalWriter.create(
                    directory, lock, JournalWriter.store(directory, config), description, config));
            }
            reader = JournalReader.recovering(files);
            requireTokens(reader.settings());
            RunComparison.require(directory, reader.settings(), description);
            return new ContinuedRun(directory, lock, files, reader, config, progress);
        }
        catch (final RuntimeException | Error e)
        {
            if (reader != null)
            {
                reader.close();
            }
            lock.close();
            throw e;
        }
    }

    private void requireTokens(final Map<String, String> settings)
    {
        if (WithheldJournal.isWithheld(settings))
        {
            throw new ConfigException(directory + " cannot be continued: its journal has no tokens (" +
                WithheldJournal.TOKENS + "=" + WithheldJournal.HASHES + "), and a request continues behind its last one; " +
                "begin a run in another directory.");
        }
    }

    /** The end of a journal whose writer was stopped before its first record; {@code null} if there is a record. */
    private static ScanEnd endWithoutRecord(final DirectoryFiles files)
    {
        try (JournalScanner scanner = JournalScanner.recovering(files))
        {
            return scanner.next() ? null : scanner.end();
        }
    }
}
