// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.RecordedRun;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.Flag;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.scheduler.Scheduler;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A journal is continued by a later writer, as if one had written it all. */
final class ContinuedJournalTest
{
    @TempDir
    Path temporary;

    private Path journal()
    {
        return temporary.resolve("journal");
    }

    private static RecordedRun open(final Path directory)
    {
        return new DirectoryJournal(directory, Runs.options(Durability.PROCESS)).open(Runs.settings());
    }

    /** Continues the run with inputs up to {@code to}, and returns the scheduler. */
    private static void continueTo(final Path directory, final int to)
    {
        final Scheduler scheduler = new Scheduler(Runs.CONFIG);
        try (RecordedRun run = open(directory))
        {
            run.replay(scheduler, (group, offset, length) -> { });
            try (GroupJournal writer = run.journal())
            {
                Runs.append(writer, scheduler, (int)run.groups(), to);
            }
        }
    }

    private Verification verify()
    {
        return JournalVerifier.verify(journal(), Scheduler::new);
    }

    private String digestOf(final int groups)
    {
        final Path whole = temporary.resolve("whole");
        Runs.write(whole, groups, Runs.options(Durability.PROCESS));
        return JournalVerifier.verify(whole, Scheduler::new).digest();
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void shouldContinueAClosedJournalWithoutATraceInItsDigest(final Durability durability)
    {
        Runs.write(journal(), 10, Runs.smallSegments(durability));
        continueTo(journal(), 17);
        continueTo(journal(), 17);
        continueTo(journal(), 30);

        final Verification verification = verify();

        assertTrue(verification.matches());
        assertEquals(30, verification.groups());
        assertEquals(Ending.CLOSED, verification.ending());
        assertEquals(digestOf(30), verification.digest());
    }

    @Test
    void shouldBeginAJournalInAMissingDirectoryAndRemoveItIfTheEngineDoesNotStart()
    {
        open(journal()).close();
        assertFalse(Files.exists(journal().resolve("segment-00000")));

        continueTo(journal(), 10);

        assertEquals(10, verify().groups());
        assertEquals(digestOf(10), verify().digest());
    }

    @Test
    void shouldCutATornTailAndDeclareItBeforeTheFirstGroup() throws IOException
    {
        Runs.write(journal(), 10, Runs.options(Durability.PROCESS));
        damageLastRecord(0);
        continueTo(journal(), 20);

        assertTrue(Files.exists(journal().resolve("segment-00000.cut")));
        assertEquals(digestOf(20), verify().digest());
    }

    @Test
    void shouldContinueAfterAnyNumberOfWritersThatWereStoppedWhileTheyContinued() throws IOException
    {
        Runs.write(journal(), 10, Runs.options(Durability.PROCESS));
        damageLastRecord(0);
        for (int segment = 1; segment < 6; segment++)
        {
            continueTo(journal(), 10 + 2 * segment);
            // The seal of this writer is torn, or the segment holds nothing behind its continuation.
            damageLastRecord(segment);
            Files.createDirectory(journal().resolve(SegmentName.of(segment + 1)));
            Files.write(journal().resolve(SegmentName.of(segment + 1)).resolve("19700101F.cq4"), new byte[segment % 2 * 40]);
        }
        continueTo(journal(), 30);

        assertTrue(verify().matches());
        assertEquals(digestOf(30), verify().digest());
    }

    @Test
    void shouldBeginAgainWhereAWriterWasStoppedBeforeItsFirstRecord() throws IOException
    {
        Files.createDirectories(journal().resolve("segment-00000"));
        Files.createFile(journal().resolve("segment-00000/19700101F.cq4"));
        continueTo(journal(), 5);

        assertEquals(digestOf(5), verify().digest());
    }

    @Test
    void shouldLeaveTheJournalAsItWasUntilItIsContinued() throws IOException
    {
        Runs.write(journal(), 10, Runs.options(Durability.PROCESS));
        damageLastRecord(0);
        final Map<String, byte[]> before = contents();
        try (RecordedRun run = open(journal()))
        {
            run.replay(new Scheduler(Runs.CONFIG), (group, offset, length) -> { });
            assertEquals(10, run.groups());
            assertEquals(9000, run.lastTimeNanos());
        }
        final Map<String, byte[]> after = contents();

        assertEquals(before.keySet(), after.keySet());
        before.forEach((name, bytes) -> assertEquals(new UnsafeBuffer(bytes), new UnsafeBuffer(after.get(name)), name));
    }

    private Map<String, byte[]> contents() throws IOException
    {
        final Map<String, byte[]> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(journal()))
        {
            for (final Path file : files.filter(f -> f.toString().endsWith(".cq4")).toList())
            {
                contents.put(file.toString(), Files.readAllBytes(file));
            }
        }
        return contents;
    }

    @Test
    void shouldRefuseASecondWriterAndAReaderNamesTheProcess()
    {
        Runs.write(journal(), 10, Runs.options(Durability.PROCESS));
        try (RecordedRun run = open(journal()))
        {
            final JournalException refusal = assertThrows(JournalException.class, () -> open(journal()));

            assertEquals(Kind.LOCKED, refusal.kind());
            assertTrue(refusal.getMessage().contains("pid " + ProcessHandle.current().pid()), refusal.getMessage());
            assertEquals(0, run.groups());
        }
        continueTo(journal(), 11);
    }

    @Test
    void shouldNameWhatARunDescriptionMeansThatOmitsASetting()
    {
        final Map<String, String> older = new TreeMap<>(Runs.settings());
        assertEquals("true", older.remove("scheduler.suspectTurns"));
        older.remove("scheduler.blockHash");
        JournalWriter.create(journal(), older, Runs.options(Durability.PROCESS)).close();

        assertEquals("the run in " + journal() + " has scheduler.suspectTurns=false, but the engine that is to continue " +
            "it has scheduler.suspectTurns=true; give the engine scheduler.suspectTurns=false, or begin a new run in " +
            "another directory.", refusalOf(Runs.settings()).getMessage());
    }

    @Test
    void shouldRefuseAnotherConfigurationByName()
    {
        Runs.write(journal(), 10, Runs.options(Durability.PROCESS));
        final Map<String, String> more = new TreeMap<>(Runs.settings());
        more.put("scheduler.kvBlocks", "65");
        more.put("zoo", "1");
        final Map<String, String> fewer = new TreeMap<>(Runs.settings());
        fewer.remove("program.version");

        assertEquals("the run in " + journal() + " has scheduler.kvBlocks=64, but the engine that is to continue it has " +
            "scheduler.kvBlocks=65; give the engine scheduler.kvBlocks=64, or begin a new run in another directory.",
            refusalOf(more).getMessage());
        assertEquals("scheduler.kvBlocks", refusalOf(more).setting());
        assertEquals("64", refusalOf(more).value());
        assertTrue(refusalOf(fewer).getMessage().contains("has program.version=test, but the engine that is to continue " +
            "it has program.version=no value; give the engine program.version=test"), refusalOf(fewer).getMessage());
        continueTo(journal(), 11);
    }

    private ConfigException refusalOf(final Map<String, String> settings)
    {
        return assertThrows(ConfigException.class,
            () -> new DirectoryJournal(journal(), Runs.options(Durability.PROCESS)).open(settings));
    }

    @Test
    void shouldNotContinueARunThatIsDecidedOtherwiseNow()
    {
        final InputWriter wake = new InputWriter();
        wake.wake().timeNanos(1);
        final DirectBuffer group = Runs.withAccepted(wake, 812);

        assertTrue(refusalAfter(group).startsWith(journal() + " cannot be continued: record 4 has "));
    }

    @Test
    void shouldNotContinueARunWithAnInputThatThrows()
    {
        final InputWriter reset = new InputWriter();
        reset.backendReset().timeNanos(1).newEpoch(1).rank(99).kvMemoryKept(Flag.NO);

        assertTrue(refusalAfter(Runs.group(reset)).startsWith(
            journal() + " cannot be continued: (record 4 cannot be replayed: rank 99 of a BackendReset is not one of 2)"));
    }

    /** The refusal of a run that has three groups and then this one. */
    private String refusalAfter(final DirectBuffer group)
    {
        try (JournalWriter writer = JournalWriter.create(journal(), Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 3);
            writer.append(5000, group, 0, group.capacity(), null);
        }
        try (RecordedRun run = open(journal()))
        {
            final JournalException refusal = assertThrows(JournalException.class,
                () -> run.replay(new Scheduler(Runs.CONFIG), (bytes, offset, length) -> { }));
            assertEquals(Kind.NOT_CONFIRMED, refusal.kind());
            return refusal.getMessage();
        }
    }

    private void damageLastRecord(final int segment) throws IOException
    {
        final Path file = journal().resolve(SegmentName.of(segment)).resolve("19700101F.cq4");
        final byte[] bytes = Files.readAllBytes(file);
        int last = bytes.length - 1;
        while (bytes[last] == 0)
        {
            last--;
        }
        bytes[last] ^= 1;
        Files.write(file, bytes);
    }
}
