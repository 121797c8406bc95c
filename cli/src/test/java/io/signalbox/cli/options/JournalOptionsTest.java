// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.cli.BadInputTest;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.journal.DeferredJournal;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.RetentionLimits;
import io.signalbox.journal.UpkeepListener;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Files that a run creates, and files that it removes. */
class JournalOptionsTest
{
    private static final Map<String, String> SETTINGS = Map.of("a", "b");

    @TempDir
    private Path directory;

    /** The directory is empty when the options are checked, and is not when the journal is opened. */
    @Test
    void shouldRemoveNothingFromADirectoryThatFillsMeanwhile() throws IOException
    {
        final Path target = Files.createDirectory(directory.resolve("target"));
        final JournalOptions options = options(target);
        options.check(RetentionLimits.NONE);
        Files.createDirectories(target.resolve("data/deep"));
        Files.writeString(target.resolve("data/deep/results.csv"), "mine");
        Files.writeString(target.resolve("notes.txt"), "mine");
        final Map<String, String> before = tree(target);

        assertEquals(JournalException.Kind.ALREADY_EXISTS,
            assertThrows(JournalException.class, () -> open(options)).kind());

        assertEquals(before, tree(target));
    }

    @Test
    void shouldRemoveNothingOfARunThatBeganMeanwhile() throws IOException
    {
        final Path target = directory.resolve("target");
        final JournalOptions late = options(target);
        late.check(RetentionLimits.NONE);
        try (JournalWriter first = open(options(target)))
        {
            final Map<String, String> before = tree(target);
            final JournalException running = assertThrows(JournalException.class, () -> open(late));

            assertEquals(JournalException.Kind.LOCKED, running.kind(), running.getMessage());
            assertEquals(before, tree(target));
            assertEquals(1, first.records());
        }
        final Map<String, String> closed = tree(target);
        assertThrows(JournalException.class, () -> open(late));
        assertEquals(closed, tree(target));
    }

    @Test
    void shouldRemoveWhatItMadeOnceItsJournalIsDiscarded()
    {
        final Path parent = directory.resolve("made");
        final JournalOptions options = options(parent.resolve("journal"));
        final DeferredJournal journal = new DeferredJournal(() -> open(options), options::removeMade);
        journal.open();
        assertTrue(Files.exists(parent.resolve("journal/lock")));

        journal.close();

        assertFalse(Files.exists(parent), "what the command made is gone");
        assertTrue(Files.exists(directory), "what was there stays");
    }

    @Test
    void shouldLeaveADirectoryThatSomebodyElseUsesMeanwhile() throws IOException
    {
        final Path target = directory.resolve("made/journal");
        final JournalOptions options = options(target);
        final DeferredJournal journal = new DeferredJournal(() -> open(options), options::removeMade);
        journal.open();
        Files.writeString(target.resolve("notes.txt"), "mine");

        journal.close();

        assertEquals("mine", Files.readString(target.resolve("notes.txt")));
        assertFalse(Files.exists(target.resolve("segment-00000")));
    }

    @Test
    void shouldExplainADirectoryWhoseWriterWasStoppedBeforeItsFirstRecord() throws IOException
    {
        final Path target = directory.resolve("target");
        Files.createDirectories(target.resolve("segment-00000"));
        Files.writeString(target.resolve("lock"), "12");

        final CommandRun refused = CommandRun.of("simulate", "--conversations", "2", "--journal", target.toString());
        assertEquals(ExitCode.BAD_INPUT, refused.exitCode());
        assertTrue(refused.err().contains("'signalbox replay " + target + " --recover'"), refused.err());
        BadInputTest.assertOneSentence(refused.err());

        final CommandRun recovered = CommandRun.of("replay", target.toString(), "--recover");
        assertEquals(ExitCode.OK, recovered.exitCode(), recovered.err());
        assertEquals("recovered         no record was written; the directory can be used for a new journal\n" +
            "moved aside       a segment without a whole record, now " + target.resolve("segment-00000.cut") + "\n",
            recovered.out());

        final CommandRun run = CommandRun.of("simulate", "--conversations", "2", "--journal", target.toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals(ExitCode.OK, CommandRun.of("replay", target.toString(), "--verify").exitCode());
    }

    private static JournalWriter open(final JournalOptions options)
    {
        return options.open(SETTINGS, DpRouters.installed(), UpkeepListener.NONE);
    }

    private static JournalOptions options(final Path target)
    {
        final JournalOptions options = new JournalOptions();
        new CommandLine(options).parseArgs("--journal", target.toString());
        return options;
    }

    /** Every file with its content, every directory with nothing. */
    private static Map<String, String> tree(final Path root) throws IOException
    {
        final Map<String, String> content = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root))
        {
            for (final Path path : (Iterable<Path>)paths::iterator)
            {
                content.put(path.toString(), Files.isDirectory(path) ? "" :
                    path.getFileName().toString().equals("lock") ? "the lock" :
                    new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1));
            }
        }
        return content;
    }
}
