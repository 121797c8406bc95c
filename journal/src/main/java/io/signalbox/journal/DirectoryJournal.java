// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.RecordedRun;
import io.signalbox.engine.RunJournal;
import io.signalbox.journal.segment.ChronicleJournalStore;
import io.signalbox.journal.segment.ChronicleLogging;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.router.DpRouters;

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
    /** {@code null} if the journal keeps tokens. */
    private final TokenKey key;
    /** {@code null}: the installed ones. */
    private final DpRouters routers;
    private final UpkeepListener listener;
    private final JournalUpkeep.Rhythm rhythm;

    /** @param directory may be missing or empty, or hold a journal. */
    public DirectoryJournal(final Path directory, final JournalConfig config)
    {
        this(directory, config, ReadProgress.NONE);
    }

    /** @param progress receives the progress of the replay. */
    public DirectoryJournal(final Path directory, final JournalConfig config, final ReadProgress progress)
    {
        this(directory, config, progress, null, null, UpkeepListener.NONE, JournalUpkeep.Rhythm.DEFAULT);
    }

    private DirectoryJournal(
        final Path directory, final JournalConfig config, final ReadProgress progress, final TokenKey key,
        final DpRouters routers, final UpkeepListener listener, final JournalUpkeep.Rhythm rhythm)
    {
        this.directory = given("directory", directory);
        this.config = given("configuration", config);
        this.progress = progress;
        this.key = key;
        this.routers = routers;
        this.listener = listener;
        this.rhythm = rhythm;
    }

    private static <T> T given(final String what, final T value)
    {
        if (value == null)
        {
            throw new ConfigException("the " + what + " of a DirectoryJournal is null; give one.");
        }
        return value;
    }

    /**
     * The same with a listener, which learns what is removed while the run continues, and why it cannot be.
     *
     * @param known routers that the run description may name.
     */
    public DirectoryJournal withUpkeep(final UpkeepListener receiver, final DpRouters known)
    {
        return new DirectoryJournal(directory, config, progress, key, known, receiver, rhythm);
    }

    /** The same with another rhythm of the thread beside the run. */
    DirectoryJournal withRhythm(final JournalUpkeep.Rhythm other)
    {
        return new DirectoryJournal(directory, config, progress, key, routers, listener, other);
    }

    /**
     * The same without the tokens of prompts and answers. A second scheduler then decides each input again without them; an
     * engine whose decisions depend on the values of tokens fails. Such a run is not continued: each engine needs an empty
     * directory.
     *
     * @param tokenKey keys the block hashes.
     * @param known    routers that the run description may name.
     * @throws ConfigException if the key is in the directory.
     */
    public DirectoryJournal withoutTokens(final TokenKey tokenKey, final DpRouters known)
    {
        tokenKey.requireOutside(directory);
        return new DirectoryJournal(directory, config, progress, tokenKey, known, listener, rhythm);
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
        return hasSegments() ? opened(description) : begun(description, null);
    }

    private boolean hasSegments()
    {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) && DirectoryFiles.of(directory).segmentCount() > 0;
    }

    /** @param lock of the directory, if it is held already. */
    private RecordedRun begun(final Map<String, String> description, final JournalLock lock)
    {
        final Map<String, String> described =
            key == null ? description : WithheldJournal.describe(description, key);
        final JournalWriter writer = lock == null ? JournalWriter.createAlone(directory, described, config) :
            JournalWriter.create(directory, lock, ChronicleJournalStore.of(directory, config), described, config);
        try
        {
            final GroupJournal journal =
                key == null ? writer : new WithheldJournal(writer, description, routers, key);
            writer.keepUp(routers, listener, rhythm);
            return new BegunRun(writer, journal);
        }
        catch (final Throwable e)
        {
            writer.discard();
            throw e;
        }
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
                return begun(description, lock);
            }
            reader = JournalReader.recovering(files);
            requireTokens(reader.settings());
            RunComparison.require(directory, reader.settings(), description);
            return new ContinuedRun(directory, lock, files, reader, config, progress,
                writer -> writer.keepUp(routers, listener, rhythm));
        }
        catch (final Throwable e)
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
                "begin a run in another directory. This one still verifies and answers queries ('signalbox replay " +
                directory + " --recover' closes it if its engine was killed).");
        }
        if (key != null)
        {
            throw new ConfigException(directory + " has a journal with tokens, so it cannot be continued without them; " +
                "begin a run in another directory, or make a journal without tokens of it with 'signalbox redact'.");
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

    @Override
    public String toString()
    {
        return "journal " + directory + " with " + config;
    }
}
