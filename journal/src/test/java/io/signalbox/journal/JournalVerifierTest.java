// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.Scans.Range;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.scheduler.Scheduler;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

final class JournalVerifierTest
{
    @TempDir
    Path directory;

    @Test
    void shouldVerifyEveryGroupOfAClosedJournal()
    {
        final Path journal = directory.resolve("journal");
        Runs.write(journal, 1_000, Runs.options(Durability.PROCESS));

        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);

        assertTrue(verification.matches());
        assertEquals(1_000, verification.groups());
        assertEquals(1_001, verification.records());
        assertTrue(verification.ending().isSealed());
    }

    @Test
    void shouldVerifyAJournalFromBeforeTheBlockHashCouldBeChosen()
    {
        final Path journal = directory.resolve("journal");
        final Map<String, String> settings = Runs.settings();
        assertNotNull(settings.remove("scheduler.blockHash"), "the setting is recorded");
        try (JournalWriter writer = JournalWriter.create(journal, settings, Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 100);
        }

        assertTrue(JournalVerifier.verify(journal, Scheduler::new).matches());
    }

    @Test
    void shouldKeepTheLongestSetting()
    {
        final Path journal = directory.resolve("journal");
        final Map<String, String> settings = Runs.settings();
        settings.put("note", "A".repeat(12 << 20));
        JournalWriter.create(journal, settings, Runs.options(Durability.PROCESS)).close();

        try (JournalReader reader = JournalReader.open(journal))
        {
            assertEquals(settings, reader.settings());
        }
    }

    @Test
    void shouldEndWithTheGroupThatARecordIsPartOf()
    {
        final Path journal = directory.resolve("journal");
        Runs.write(journal, 50, Runs.options(Durability.PROCESS));
        for (int record = 0; record <= 50; record++)
        {
            final Verification verification = replayTo(journal, record);
            assertTrue(verification.matches());
            assertEquals(record + 1, verification.records());
            assertEquals(record, verification.groups());
        }
        assertEquals(JournalVerifier.verify(journal, Scheduler::new), replayTo(journal, 51),
            "behind the last record is the end");
    }

    private static Verification replayTo(final Path journal, final long record)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            return JournalVerifier.replayTo(
                reader, new Scheduler(reader.config()), record, (group, offset, length) -> { });
        }
    }

    @Test
    void shouldNotWriteAByteWhileVerifying() throws IOException
    {
        final Path journal = directory.resolve("journal");
        Runs.write(journal, 3_000, Runs.smallSegments(Durability.PROCESS));
        final Map<String, String> before = fingerprint(journal);
        try (Stream<Path> paths = Files.walk(journal))
        {
            for (final Path path : (Iterable<Path>)paths::iterator)
            {
                Files.setPosixFilePermissions(
                    path, PosixFilePermissions.fromString(Files.isDirectory(path) ? "r-x------" : "r--------"));
            }
        }

        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);

        allowRemoval(journal);
        assertTrue(verification.matches());
        assertEquals(before, fingerprint(journal));
    }

    private static void allowRemoval(final Path journal) throws IOException
    {
        try (Stream<Path> paths = Files.walk(journal))
        {
            for (final Path path : (Iterable<Path>)paths.filter(Files::isDirectory)::iterator)
            {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
            }
        }
    }

    private static Map<String, String> fingerprint(final Path journal) throws IOException
    {
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(journal))
        {
            for (final Path path : (Iterable<Path>)paths.filter(Files::isRegularFile)::iterator)
            {
                files.put(path.toString(),
                    Arrays.hashCode(Files.readAllBytes(path)) + " " + Files.getLastModifiedTime(path));
            }
        }
        return files;
    }

    @Test
    void shouldSayThatAJournalIsStillBeingWritten() throws IOException
    {
        final Path journal = directory.resolve("journal");
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 10);
            final Map<String, String> before = fingerprint(journal);

            final JournalException refusal = refusal(journal);

            assertEquals(Kind.BEING_WRITTEN, refusal.kind());
            assertTrue(refusal.getMessage().contains(journal + " is being written by the process with pid " +
                ProcessHandle.current().pid() + "; records 0 to 10 are good"), refusal.getMessage());
            assertEquals(before, fingerprint(journal));
        }
        assertTrue(JournalVerifier.verify(journal, Scheduler::new).ending().isSealed());
    }

    @Test
    void shouldNotCallTheUnfinishedAppendOfALivingWriterDamage() throws IOException
    {
        final Path journal = directory.resolve("journal");
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 10);
        }
        final Path file = journal.resolve("segment-00000/19700101F.cq4");
        final byte[] torn = Files.readAllBytes(file);
        final Range seal = Scans.records(MemoryFiles.copyOf(journal), 0).get(11);
        torn[(int)seal.to() - 1] ^= 1;
        Files.write(file, torn);
        try (JournalLock lock = JournalLock.acquireUnsigned(journal))
        {
            assertNotNull(lock);
            assertEquals(Kind.BEING_WRITTEN, refusal(journal).kind());
        }
        assertEquals(Kind.TORN_TAIL, refusal(journal).kind());
    }

    private static JournalException refusal(final Path journal)
    {
        return assertThrows(JournalException.class, () -> JournalVerifier.verify(journal, Scheduler::new));
    }

    @Test
    void shouldShowTheFirstGroupThatComesOutOtherwise()
    {
        final Path journal = directory.resolve("journal");
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 3);
            final UnsafeBuffer planted = plantedGroup();
            writer.append(4, planted, 0, planted.capacity(), null);
            Runs.append(writer, 1);
        }

        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);

        assertFalse(verification.matches());
        final Difference difference = verification.difference();
        assertEquals(4, difference.sequence());
        assertEquals(77, difference.requestId());
        assertTrue(difference.recorded().contains("Accepted"), difference.recorded());
        assertNotEquals(difference.recorded(), difference.recomputed());
        assertTrue(difference.groupBefore().contains("note 2"), difference.groupBefore());
        assertTrue(difference.recordedGroup().contains("planted"), difference.recordedGroup());
        assertEquals(4, verification.groups());
    }

    @Test
    void shouldNameTheRecordThatCannotBeReplayed()
    {
        final String ofUnknownRowForm = notReplayed("row form", Runs.ofUnknownRowForm(4));
        assertTrue(ofUnknownRowForm.startsWith("(record 4 cannot be replayed: "), ofUnknownRowForm);
        assertFalse(ofUnknownRowForm.contains("Exception"), ofUnknownRowForm);
        final UnsafeBuffer long127 = Runs.note(4, 10);
        long127.putInt(0, 127);
        assertEquals("(record 4 cannot be replayed: message length 127 at byte 0 leaves its group)",
            notReplayed("length", long127));
    }

    private String notReplayed(final String name, final UnsafeBuffer forged)
    {
        final Path journal = directory.resolve(name);
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 3);
            writer.append(4, forged, 0, forged.capacity(), null);
        }
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        assertFalse(verification.matches());
        return verification.difference().recomputed();
    }

    /** A note that no scheduler answers, with an Accepted behind it. */
    private static UnsafeBuffer plantedGroup()
    {
        final InputWriter input = new InputWriter();
        input.control().timeNanos(4).requestId(-1).kind(ControlKind.NOTE).note("planted");
        return Runs.withAccepted(input, 77);
    }

    @Test
    void shouldGiveTheSameDigestWhateverTheSegmentsAndTheDurability()
    {
        Runs.write(directory.resolve("one"), 2_000, Runs.options(Durability.PROCESS));
        Runs.write(directory.resolve("many"), 2_000, Runs.smallSegments(Durability.BATCH));

        final Verification one = JournalVerifier.verify(directory.resolve("one"), Scheduler::new);
        final Verification many = JournalVerifier.verify(directory.resolve("many"), Scheduler::new);

        assertTrue(DirectoryFiles.of(directory.resolve("many")).segmentCount() > 2);
        assertEquals(one.digest(), many.digest());
        assertNull(many.difference());
    }

    @Test
    void shouldGiveAnotherDigestForAnotherRun()
    {
        Runs.write(directory.resolve("one"), 100, Runs.options(Durability.PROCESS));
        Runs.write(directory.resolve("other"), 101, Runs.options(Durability.PROCESS));

        assertNotEquals(
            JournalVerifier.verify(directory.resolve("one"), Scheduler::new).digest(),
            JournalVerifier.verify(directory.resolve("other"), Scheduler::new).digest());
    }
}
