// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.RecordedRun;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RecordWriter;
import io.signalbox.event.codec.Flag;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.SegmentedLog;
import io.signalbox.journal.segment.VoidRecords;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An operator declares an input void that no replay can apply; every reader leaves it out. */
final class InputVoidingTest
{
    /** Behind the run description and three groups. */
    private static final long THROWS = 4;

    @TempDir
    Path temporary;

    private Path journal()
    {
        return temporary.resolve("journal");
    }

    private VoidedInput apply(final long record)
    {
        return InputVoiding.apply(journal(), record, DpRouters.installed(), Scheduler::new, ReadProgress.NONE);
    }

    private String misuse(final long record)
    {
        return assertThrows(ConfigException.class, () -> apply(record)).getMessage();
    }

    /** Three groups of a scheduler, an input that throws, and groups behind it that do not depend on it. */
    private void write(final int behind)
    {
        final Scheduler scheduler = new Scheduler(Runs.CONFIG);
        try (JournalWriter writer = JournalWriter.create(journal(), Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, scheduler, 0, 3);
            append(writer, throwing());
            Runs.append(writer, scheduler, 3, 3 + behind);
        }
    }

    private static DirectBuffer throwing()
    {
        final InputWriter reset = new InputWriter();
        reset.backendReset().timeNanos(1).newEpoch(1).rank(99).kvMemoryKept(Flag.NO);
        return Runs.group(reset);
    }

    private static void append(final GroupJournal writer, final DirectBuffer group)
    {
        writer.append(5000, group, 0, group.capacity(), null);
    }

    @Test
    void shouldLeaveAVoidInputOutOfEveryReplay()
    {
        write(10);
        assertFalse(JournalVerifier.verify(journal(), Scheduler::new).matches());

        final VoidedInput input = apply(THROWS);

        assertTrue(input.reason().contains("rank 99 of a BackendReset is not one of 2"), input.reason());
        final Verification verification = JournalVerifier.verify(journal(), Scheduler::new);
        assertTrue(verification.matches(), String.valueOf(verification.difference()));
        assertEquals(14, verification.groups());
        assertEquals(List.of(input), verification.voided());
        assertEquals(Ending.RECOVERED, verification.ending());
    }

    @Test
    void shouldContinueARunWithAVoidInput()
    {
        write(1);
        apply(THROWS);
        final Scheduler scheduler = new Scheduler(Runs.CONFIG);
        try (RecordedRun run = new DirectoryJournal(journal(), Runs.options(Durability.PROCESS)).open(Runs.settings()))
        {
            run.replay(scheduler, (group, offset, length) -> { });
            try (GroupJournal writer = run.journal())
            {
                Runs.append(writer, scheduler, 4, 30);
                append(writer, throwing());
            }
        }
        // Records: the description, 5 groups, the declaration, 26 groups.
        apply(33);
        final Verification verification = JournalVerifier.verify(journal(), Scheduler::new);
        assertTrue(verification.matches(), String.valueOf(verification.difference()));
        assertEquals(2, verification.voided().size());
    }

    @Test
    void shouldRefuseEveryOtherInputByName()
    {
        write(3);

        assertEquals("record 2 of " + journal() + " can be replayed, and only an input that cannot be replayed may be " +
            "void; leave --void out.", misuse(2));
        assertEquals("record 0 of " + journal() + " is no input, and only an input that cannot be replayed may be void; " +
            "leave --void out.", misuse(0));
        assertEquals("record -3 of " + journal() + " does not exist, the last record is 0; give the record that a replay " +
            "names.", misuse(-3));
        assertEquals("record 6 of " + journal() + " cannot be void, because record 4 ahead of it cannot be replayed; void " +
            "that one first.", misuse(6));
        apply(THROWS);
        assertEquals("record 4 of " + journal() + " is void already; leave --void out.", misuse(THROWS));
        assertEquals("record 99 of " + journal() + " does not exist, the last record is 8; give the record that a replay " +
            "names.", misuse(99));
    }

    @Test
    void shouldRefuseAnInputOnWhichALaterGroupDepends()
    {
        final Scheduler scheduler = new Scheduler(Runs.CONFIG);
        try (JournalWriter writer = JournalWriter.create(journal(), Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, scheduler, 0, 3);
            append(writer, throwing());
            // As if the input had been applied, and had queued a request.
            final InputWriter wake = new InputWriter();
            wake.wake().timeNanos(6000);
            append(writer, Runs.withAccepted(wake, 77));
        }
        final JournalException refusal = assertThrows(JournalException.class, () -> apply(THROWS));

        assertEquals(Kind.NOT_CONFIRMED, refusal.kind());
        assertTrue(refusal.getMessage().startsWith("record 4 of " + journal() + " cannot be void: record 5 depends on it, " +
            "it has "), refusal.getMessage());
        assertFalse(Files.exists(journal().resolve("segment-00001")));
    }

    @Test
    void shouldRefuseADeclarationOfAnotherRecord()
    {
        // A whole journal with a declaration that names a record with another link.
        final SimulatedLog log = SimulatedLog.sealed(5, Runs.options(Durability.PROCESS));
        final SimulatedDisk disk = SimulatedDisk.holding(log.files());
        final ScanEnd end = Scans.recover(log.files());
        final SegmentedLog behind = new SegmentedLog(disk, Runs.options(Durability.PROCESS), end.position());
        behind.openBehind(end.segments(), end.lastRecords(), end.lastSealed());
        final RecordWriter declaration = VoidRecords.encode(new VoidedInput(2, "planted"), 1234);
        behind.append(RecordType.VOID, 0, declaration.buffer(), 0, declaration.length());
        behind.seal(Ending.RECOVERED);
        try (JournalReader reader = JournalReader.of(JournalScanner.reading(disk.files(), null)))
        {
            assertTrue(reader.next());
            final JournalException refusal = assertThrows(JournalException.class, reader::next);
            assertTrue(refusal.getMessage().contains("another record than this one was declared void"));
        }
    }
}
