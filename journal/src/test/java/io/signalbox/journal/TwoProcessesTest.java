// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.LibC;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.ScanEnd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Two processes and one directory: the operating system decides who writes, even if the lock file is gone. */
@Tag("threads")
final class TwoProcessesTest
{
    @TempDir
    Path temporary;

    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldAdmitNoSecondWriterOnceTheLockFileIsGone() throws IOException, InterruptedException
    {
        assumeTrue(LibC.orNull() != null, "this system cannot lock directories");
        final Path journal = temporary.resolve("journal");
        final Process child = JavaProcess.start(KilledWriter.class, journal.toString(), Durability.PROCESS.name());
        try (BufferedReader lines = child.inputReader(StandardCharsets.US_ASCII))
        {
            assertEquals("0", lines.readLine());
            // A writer that runs would soon see that its lock is gone, and release the directory.
            signal(child, "STOP");
            Files.delete(journal.resolve("lock"));

            assertEquals(Kind.LOCKED,
                assertThrows(JournalException.class, () -> JournalRecovery.recover(journal)).kind());
            assertEquals(Kind.BEING_WRITTEN,
                assertThrows(JournalException.class, () -> readToItsEnd(journal)).kind());
            final JournalException second = assertThrows(JournalException.class,
                () -> JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)));
            assertTrue(second.kind() == Kind.LOCKED || second.kind() == Kind.ALREADY_EXISTS, second.getMessage());

            // The writer stops once it sees that its lock is gone; nothing it acknowledged is lost.
            signal(child, "CONT");
            final long acknowledged = lines.lines().count();
            assertEquals(1, child.waitFor());
            final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);
            assertEquals(Ending.OPEN, recovery.ending());
            assertTrue(recovery.groups() > acknowledged, recovery + " after " + acknowledged);
        }
        finally
        {
            child.toHandle().destroyForcibly();
            child.waitFor();
        }
    }

    /** Reduced: 3 races. Full: 200. */
    @Test
    void shouldAdmitExactlyOneOfTwoThatBeginAtOnce() throws IOException, InterruptedException
    {
        for (int i = 0; i < TestStrength.count(3, 200); i++)
        {
            final Path journal = temporary.resolve("race-" + i);
            final List<Process> racers = new ArrayList<>();
            for (int j = 0; j < 2; j++)
            {
                racers.add(JavaProcess.start(RacingWriter.class, journal.toString()));
            }
            int winners = 0;
            for (final Process racer : racers)
            {
                final String outcome = new String(racer.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
                racer.waitFor();
                winners += outcome.equals("wrote") ? 1 : 0;
                assertTrue(List.of("wrote", "LOCKED", "ALREADY_EXISTS").contains(outcome), outcome);
            }
            assertEquals(1, winners);
            final ScanEnd end = Scans.read(DirectoryFiles.of(journal));
            assertEquals(Ending.CLOSED, end.ending());
            assertEquals(RacingWriter.GROUPS + 1, end.position().records());
        }
    }

    @Test
    void shouldStopWhenItsDirectoryWasReplaced() throws IOException
    {
        final Path journal = temporary.resolve("journal");
        final Path elsewhere = temporary.resolve("elsewhere");
        final JournalWriter writer =
            JournalWriter.create(journal, Runs.settings(), Runs.smallSegments(Durability.PROCESS));
        Runs.append(writer, 10);
        Files.move(journal, elsewhere);
        Files.createDirectory(journal);

        final JournalException stopped = assertThrows(JournalException.class, () -> Runs.append(writer, 2_000));
        writer.close();

        assertEquals(Kind.LOCK_LOST, stopped.kind(), stopped.getMessage());
        assertTrue(stopped.getMessage().startsWith(journal + " was removed or replaced"), stopped.getMessage());
        try (Stream<Path> entries = Files.list(journal))
        {
            assertFalse(entries.findAny().isPresent(), "the writer wrote into a directory that is not its own");
        }
        assertTrue(JournalRecovery.recover(elsewhere).groups() >= 10);
    }

    @Test
    void shouldNotSealWhatItsLockNoLongerProtects() throws IOException
    {
        final Path journal = temporary.resolve("journal");
        final JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS));
        Runs.append(writer, 10);
        Files.delete(journal.resolve("lock"));

        assertEquals(Kind.LOCK_LOST, assertThrows(JournalException.class, writer::close).kind());

        assertEquals(10, JournalRecovery.recover(journal).groups());
    }

    @Test
    void shouldRemoveOnlyWhatItCreated() throws IOException
    {
        final Path journal = temporary.resolve("journal");
        final JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS));
        final Path foreign = Files.writeString(journal.resolve("segment-00000/notes.txt"), "mine");
        Files.writeString(journal.resolve("other.txt"), "mine too");

        writer.discard();

        assertEquals("mine", Files.readString(foreign));
        assertEquals("mine too", Files.readString(journal.resolve("other.txt")));
        assertFalse(Files.exists(journal.resolve("segment-00000/19700101F.cq4")));
        assertFalse(Files.exists(journal.resolve("lock")));
    }

    private static void signal(final Process process, final String name) throws IOException, InterruptedException
    {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor());
    }

    private static void readToItsEnd(final Path journal)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            boolean more = true;
            while (more)
            {
                more = reader.next();
            }
        }
    }
}
