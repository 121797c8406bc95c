// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.RecordWriter;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.JournalFiles;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.RunDescription;
import io.signalbox.journal.segment.SegmentedLog;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Records that are whole but wrong: only a faulty writer makes them. */
@Tag("threads")
final class JournalReaderTest
{
    private static final JournalConfig OPTIONS = Runs.options(Durability.PROCESS);

    @Test
    void shouldRefuseARunDescriptionWhoseTextLeavesItsRecord()
    {
        final RecordWriter description = RunDescription.encode(Runs.settings());
        // The length of the first key follows the SBE header and the group's header.
        description.buffer().putInt(8 + 6, 0x3FFFFFF0);
        final SimulatedDisk disk = new SimulatedDisk();
        final SegmentedLog log = new SegmentedLog(disk, OPTIONS, JournalPosition.START);
        log.openFirst(Envelope.LENGTH + description.length());
        log.append(RecordType.RUN_DESCRIPTION, 0, description.buffer(), 0, description.length());

        final JournalException refusal = assertThrows(JournalException.class, () -> read(disk.files()));

        assertEquals(Kind.CORRUPT_RECORD, refusal.kind());
        assertTrue(refusal.getMessage().contains("leaves the record"), refusal.getMessage());
    }

    @Test
    void shouldRefuseRowsThatTheirGroupDoesNotReferTo()
    {
        final SimulatedLog log = SimulatedLog.open(3, OPTIONS);
        log.rows(500);
        log.note(3, 10);

        final JournalException refusal = assertThrows(JournalException.class, () -> read(log.files()));

        assertEquals(Kind.CORRUPT_RECORD, refusal.kind());
        assertEquals(5, refusal.sequence());
    }

    @Test
    void shouldRefuseACompletionWhoseRowsAreNotThere()
    {
        final SimulatedLog log = SimulatedLog.open(3, OPTIONS);
        final UnsafeBuffer group = Runs.completion(7, 10, 100);
        log.log().append(RecordType.GROUP, 7, group, 0, group.capacity());

        assertEquals(Kind.CORRUPT_RECORD,
            assertThrows(JournalException.class, () -> read(log.files())).kind());
    }

    @Test
    void shouldRefuseMessagesThatAreShorterThanTheirFields()
    {
        assertEquals(ShortMessages.REFUSALS, ShortMessages.refusals());
    }

    /** The flag makes decoders read beyond the end of a record, so the reader must check lengths itself. */
    @Test
    void shouldRefuseShortMessagesWithoutAgronasBoundsChecks() throws Exception
    {
        final List<String> flags = new ArrayList<>(JavaProcess.flags());
        flags.add("-Dagrona.disable.bounds.checks=true");
        final Process process = new ProcessBuilder(JavaProcess.command(flags, ShortMessages.class))
            .redirectErrorStream(true).start();
        final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals("false " + ShortMessages.REFUSALS, printed.strip());
        assertEquals(0, process.waitFor());
    }

    @Test
    void shouldHandOutACompletionWhoseRowFormIsUnknown()
    {
        final SimulatedLog log = SimulatedLog.open(3, OPTIONS);
        log.log().append(RecordType.GROUP, 7, Runs.ofUnknownRowForm(7), 0, Runs.ofUnknownRowForm(7).capacity());

        read(log.files());
    }

    @Test
    void shouldNameTheJournalWhoseRunDescriptionNamesNoScheduler(@TempDir final Path directory)
    {
        JournalWriter.create(directory, Map.of("router", "none such"), OPTIONS).close();

        try (JournalReader reader = JournalReader.open(directory))
        {
            final JournalException refusal = assertThrows(JournalException.class, reader::config);

            assertEquals(Kind.CORRUPT_RECORD, refusal.kind());
            assertEquals(0, refusal.sequence());
            assertTrue(
                refusal.getMessage().startsWith(directory + ", record 0: its run description "), refusal.getMessage());
            assertTrue(refusal.getMessage().contains(" is missing; "), refusal.getMessage());
        }
    }

    @Test
    void shouldRefuseAJournalWithoutARecord()
    {
        final JournalException refusal =
            assertThrows(JournalException.class, () -> read(new MemoryFiles(List.of(new byte[0]))));

        assertEquals(Kind.NO_RECORD, refusal.kind());
    }

    private static void read(final JournalFiles files)
    {
        try (JournalReader reader = JournalReader.of(JournalScanner.reading(files, null)))
        {
            boolean more = true;
            while (more)
            {
                more = reader.next();
            }
        }
    }
}
