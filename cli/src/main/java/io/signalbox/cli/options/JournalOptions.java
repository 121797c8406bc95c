// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.journal.DeferredJournal;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalUpkeep;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.RetentionLimits;
import io.signalbox.journal.RunDirectories;
import io.signalbox.journal.TokenKey;
import io.signalbox.journal.UpkeepListener;
import io.signalbox.journal.WithheldJournal;
import io.signalbox.router.DpRouters;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The place and the durability of a run's journal. */
public final class JournalOptions implements SettingGroup
{
    private static final String TOKENS = WithheldJournal.WITHHELD.option().name();
    /** Names the file of the key. */
    public static final String KEY = "--journal-key";
    static final Path RUNS = Path.of("runs");
    static final String JOURNAL = "--journal";
    private static final String NO_VERIFY = "--no-verify";
    static final String NO_JOURNAL = "--no-journal";
    private static final int MAX_RUNS = 9999;

    @Option(names = JOURNAL, paramLabel = "DIR",
        description = "Write the journal to DIR, which is new or empty (default: the next number under runs/).")
    @OutputPath
    private Path directory;

    @Option(names = NO_JOURNAL, description = "Do not write a journal (implies --no-verify).")
    private boolean noJournal;

    @Option(names = NO_VERIFY, description = "Do not verify the journal after the run.")
    private boolean noVerify;

    @Option(names = KEY, paramLabel = "FILE",
        description = "Key these hashes with FILE, 32 bytes or more that only its owner can read.")
    @InputPath
    private Path keyFile;

    private final SettingOptions journal = SettingOptions.of(JournalConfig.SETTINGS);
    private final SettingOptions withheld = SettingOptions.of(WithheldJournal.SETTINGS);

    private TokenKey key;
    private RetentionLimits limits = RetentionLimits.NONE;

    /** Directories that this command made, each after its parent. */
    private final List<Path> made = new ArrayList<>();

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(journal, withheld);
    }

    /** @throws ConfigException if an option concerns the journal, and none is written. */
    private void refuseIdle()
    {
        final String idle = "concerns the journal, and " + NO_JOURNAL + " writes none";
        journal.refuseGiven(idle);
        withheld.refuseGiven(idle);
        if (noVerify || keyFile != null)
        {
            throw new ConfigException((noVerify ? NO_VERIFY : KEY) + " " + idle + "; leave it out, or change the other.");
        }
        if (!limits.equals(RetentionLimits.NONE))
        {
            throw new ConfigException("limits concern the journal, and " + NO_JOURNAL + " writes none; leave them out.");
        }
    }

    /** @throws ConfigException if an option reads the journal of the run, and none is written. */
    public void requireJournal(final String option)
    {
        if (noJournal)
        {
            throw new ConfigException(
                option + " reads the journal of the run, and " + NO_JOURNAL + " writes none; leave one of them out.");
        }
    }

    public boolean verifies()
    {
        return !noVerify;
    }

    /**
     * Makes all checks that are possible before anything is written.
     *
     * @param kept limits of what is kept while the run continues.
     */
    public void check(final RetentionLimits kept)
    {
        check(kept, false);
    }

    /** @param continues whether the directory may have a journal, which is looked at when it is opened. */
    private void check(final RetentionLimits kept, final boolean continues)
    {
        limits = kept;
        config();
        if (noJournal)
        {
            refuseIdle();
        }
        if (directory != null && directory.toString().isEmpty())
        {
            throw new ConfigException("--journal is empty; give a directory, or leave the option out.");
        }
        if (noJournal && directory != null)
        {
            throw new ConfigException("--journal=" + directory + " and --no-journal exclude each other; give one of them.");
        }
        readKey();
        if (continues)
        {
            return;
        }
        if (directory != null)
        {
            RunDirectories.requireFree(directory);
            attempt(directory, () -> missing(directory));
        }
        else if (!noJournal)
        {
            requireRoomForRun();
        }
    }

    /** Check this before the work, because loading a model can take minutes. */
    private static void requireRoomForRun()
    {
        try
        {
            final Path missing = missing(RUNS).peekFirst();
            final Path existing = missing == null ? RUNS : missing.getParent();
            if (!Files.isWritable(existing))
            {
                throw new AccessDeniedException(existing.toString());
            }
            if (missing == null && lastRun() >= MAX_RUNS)
            {
                throw tooManyRuns();
            }
        }
        catch (final IOException e)
        {
            throw noRun(e);
        }
    }

    private static ConfigException noRun(final IOException fault)
    {
        return new ConfigException("no directory for the journal could be made under " + RUNS.toAbsolutePath() + " (" +
            FileFault.reason(fault) + "); give one with --journal, or --no-journal.");
    }

    private static ConfigException tooManyRuns()
    {
        return new ConfigException(RUNS.toAbsolutePath() + " holds runs up to " + MAX_RUNS +
            "; move or remove the last one, or give a directory with --journal.");
    }

    private JournalConfig config()
    {
        return JournalConfig.of(journal.get(JournalConfig.DURABILITY))
            .withSegmentBytes(journal.get(JournalConfig.SEGMENT_BYTES))
            .withSnapshotEvery(journal.get(JournalConfig.SNAPSHOT_EVERY)).withRetention(limits);
    }

    private void readKey()
    {
        final boolean hasNoTokens = withheld.get(WithheldJournal.WITHHELD);
        if (hasNoTokens != (keyFile != null))
        {
            throw new ConfigException(hasNoTokens ?
                TOKENS + "=hashes needs a key; give its file with " + KEY + ", made with: " + TokenKey.COMMAND + "." :
                KEY + "=" + keyFile + " is for " + TOKENS + "=hashes, which is not given; give both or neither.");
        }
        if (hasNoTokens)
        {
            key = TokenKey.read(KEY, keyFile);
            key.requireOutside(directory == null ? RUNS : directory);
        }
    }

    /**
     * The journal of a run; {@code null} if none is wanted. If it cannot be opened, or no group is written, all files of
     * this command are removed.
     *
     * @param settings the run's description, made when the journal is opened.
     * @param routers  those that the description may name.
     * @param listener receives what is removed while the run continues.
     */
    public DeferredJournal journal(
        final Supplier<Map<String, String>> settings, final DpRouters routers, final UpkeepListener listener)
    {
        if (noJournal)
        {
            return null;
        }
        if (key == null)
        {
            return new DeferredJournal(() -> open(settings.get(), routers, listener), this::removeMade);
        }
        final Map<String, String> description = new TreeMap<>();
        return new DeferredJournal(() ->
        {
            description.putAll(settings.get());
            return open(WithheldJournal.describe(description, key), routers, listener);
        }, writer -> new WithheldJournal(writer, description, routers, key), this::removeMade);
    }

    /**
     * As {@link #check}, for a run that a server continues: the directory of {@code --journal} may have one.
     *
     * @throws ConfigException also if an option is for the end of a run.
     */
    public void checkContinued(final RetentionLimits kept)
    {
        if (noVerify)
        {
            throw new ConfigException("--no-verify is for runs that end by themselves, and a server does not verify its " +
                "journal; leave it out, and use 'signalbox replay --verify' afterwards.");
        }
        check(kept, directory != null && Files.isDirectory(directory));
    }

    /** The directory of the run's journal, which this call makes if it is missing; {@code null} if none is wanted. */
    public Path continuedDirectory()
    {
        if (noJournal || directory != null)
        {
            return directory;
        }
        return nextRun();
    }

    /**
     * The journal of a run that another server may continue.
     *
     * @param place    {@link #continuedDirectory}.
     * @param routers  those that the description may name.
     * @param listener receives what is removed while the run continues.
     */
    public DirectoryJournal continued(
        final Path place, final DpRouters routers, final UpkeepListener listener, final ReadProgress progress)
    {
        final DirectoryJournal journal = new DirectoryJournal(place, config(), progress).withUpkeep(listener, routers);
        return key == null ? journal : journal.withoutTokens(key, routers);
    }

    /** The writer of the run's journal; if it cannot be opened, all files of this command are removed. */
    JournalWriter open(final Map<String, String> settings, final DpRouters routers, final UpkeepListener listener)
    {
        try
        {
            final Path target = directory == null ? nextRun() : directory;
            make(target);
            return JournalWriter.create(target, settings, config(), routers, listener);
        }
        catch (final RuntimeException | Error e)
        {
            removeMade();
            throw e;
        }
    }

    /** Does what the options ask for and could not be done while the run continued. */
    public void conclude(
        final Path journal, final DpRouters routers, final UpkeepListener listener, final ReadProgress progress)
    {
        JournalUpkeep.conclude(journal, config(), routers, listener, progress);
    }

    /** Removes the directories that these options made and that are empty; the writer removes its files in them. */
    public void removeMade()
    {
        try
        {
            for (int i = made.size() - 1; i >= 0; i--)
            {
                Files.deleteIfExists(made.get(i));
            }
        }
        catch (final IOException e)
        {
            // Another process uses it. The run has failed already, and its reason is printed.
            return;
        }
    }

    private void make(final Path wanted)
    {
        attempt(wanted, () -> makeAll(wanted));
    }

    /** A step of making directories. */
    private interface Making
    {
        void run() throws IOException;
    }

    private static void attempt(final Path wanted, final Making making)
    {
        try
        {
            making.run();
        }
        catch (final IOException e)
        {
            throw new ConfigException("--journal=" + wanted + " cannot be made (" + FileFault.reason(e) +
                "); " + FileFault.remedy(e, "directory") + ".");
        }
    }

    /** The directories that do not exist yet, the outermost first. */
    private static Deque<Path> missing(final Path wanted) throws IOException
    {
        final Deque<Path> missing = new ArrayDeque<>();
        Path at = wanted.toAbsolutePath();
        while (at != null && !Files.exists(at))
        {
            missing.push(at);
            at = at.getParent();
        }
        if (at != null && !Files.isDirectory(at))
        {
            throw new NotDirectoryException(at.toString());
        }
        return missing;
    }

    /** Records each directory that did not exist before. */
    private void makeAll(final Path wanted) throws IOException
    {
        for (final Path directoryToMake : missing(wanted))
        {
            if (createdHere(directoryToMake))
            {
                made.add(directoryToMake);
            }
        }
    }

    /** False if another process has created it meanwhile: then this command must not remove it. */
    private static boolean createdHere(final Path wanted) throws IOException
    {
        try
        {
            Files.createDirectory(wanted);
            return true;
        }
        catch (final FileAlreadyExistsException e)
        {
            if (Files.isDirectory(wanted))
            {
                return false;
            }
            throw e;
        }
    }

    /** Creating the directory claims its number, so that two runs at once do not share one. */
    private Path nextRun()
    {
        try
        {
            makeAll(RUNS);
            for (int number = lastRun() + 1; number <= MAX_RUNS; number++)
            {
                final Path run = RUNS.resolve("%04d".formatted(number));
                try
                {
                    made.add(Files.createDirectory(run));
                    return run;
                }
                catch (final FileAlreadyExistsException e)
                {
                    // Another run has taken this number in the meantime.
                    continue;
                }
            }
        }
        catch (final IOException e)
        {
            throw noRun(e);
        }
        throw tooManyRuns();
    }

    /** Whether a path has the name of a run's directory. */
    static boolean isRun(final Path path)
    {
        return path.getFileName().toString().matches("\\d{4}");
    }

    private static int lastRun() throws IOException
    {
        try (Stream<Path> entries = Files.list(RUNS))
        {
            return entries.filter(JournalOptions::isRun)
                .mapToInt(entry -> Integer.parseInt(entry.getFileName().toString()))
                .max().orElse(0);
        }
    }
}
