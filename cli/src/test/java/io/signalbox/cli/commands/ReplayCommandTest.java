// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.BadInputTest;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.journal.Difference;
import io.signalbox.journal.DigestComparison;
import io.signalbox.journal.Durability;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.Verification;
import io.signalbox.printing.ReplayReport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReplayCommandTest
{
    @TempDir
    private Path directory;
    private Path journal;
    private Map<String, String> report;

    @BeforeEach
    void simulate()
    {
        journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of(
            "simulate", "--conversations", "6", "--journal", journal.toString(), "--no-verify", "--json");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        report = JsonText.leaves(run.out());
    }

    @Test
    void shouldConfirmEveryRecordOfAJournal()
    {
        final CommandRun run = CommandRun.of("replay", journal.toString(), "--verify", "--json");
        final Map<String, String> found = JsonText.leaves(run.out());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals("true", found.get("verified"));
        assertEquals("true", found.get("closed"));
        assertEquals(report.get("journal.records"), found.get("records"));
        assertEquals(report.get("journal.digest"), found.get("digest"));
        assertEquals("null", found.get("difference"));
    }

    @Test
    void shouldVerifyBehindASnapshotAndNameADamagedOne() throws IOException
    {
        final CommandRun written = CommandRun.of("snapshot", journal.toString(), "--scheduler", "--every=500");
        assertEquals(ExitCode.OK, written.exitCode(), written.err());
        assertTrue(written.out().contains("confirmed"), written.out());
        final long records = Long.parseLong(report.get("journal.records"));
        final Path newest = journal.resolve("snapshots").resolve(String.format(Locale.ROOT, "scheduler-%016d", records));
        final Map<String, String> found =
            JsonText.leaves(CommandRun.of("replay", journal.toString(), "--from-snapshot", "--json").out());
        assertEquals("true", found.get("verified"));
        assertEquals(Long.toString(records), found.get("begunAtRecord"));
        assertEquals(report.get("journal.digest"), found.get("digest"));

        Files.write(newest, new byte[100]);
        final CommandRun older = CommandRun.of("replay", journal.toString(), "--from-snapshot");
        assertEquals(ExitCode.OK, older.exitCode(), older.err());
        assertTrue(older.out().contains("begun at          the snapshot behind record "), older.out());
        assertTrue(older.out().contains(newest.getFileName() + " is passed over: its bytes are not those that were "),
            older.out());
        final CommandRun refused = CommandRun.of("replay", journal.toString(), "--from-snapshot", "--recompute");
        assertEquals(ExitCode.BAD_INPUT, refused.exitCode());
        assertTrue(refused.err().contains("--recompute needs every record"), refused.err());
    }

    @Test
    void shouldVerifyWhereNoOptionSaysWhatToDo()
    {
        final CommandRun run = CommandRun.of("replay", journal.toString());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().startsWith("verified          yes: "), run.out());
        assertTrue(run.out().contains("digest            " + report.get("journal.digest")), run.out());
        assertEquals("", run.err());
    }

    @Test
    void shouldRefuseACorruptJournalInOneSentence() throws IOException
    {
        DamagedSegment.flipABit(journal);

        final CommandRun run = CommandRun.of("replay", journal.toString(), "--verify");
        assertEquals(ExitCode.CHECK_FAILED, run.exitCode(), run.err());
        assertEquals("", run.out());
        BadInputTest.assertOneSentence(run.err());
    }

    @Test
    void shouldLeaveAClosedJournalAsItIsOnRecovery()
    {
        final CommandRun run = CommandRun.of("replay", journal.toString(), "--recover", "--verify", "--json");
        final Map<String, String> found = JsonText.leaves(run.out());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals("0", found.get("recovery.cutBytes"));
        assertEquals(report.get("journal.digest"), found.get("recovery.digest"));
        assertEquals("true", found.get("verified"));
    }

    @Test
    void shouldSayThatAClosedJournalNeedsNoRecovery()
    {
        final CommandRun run = CommandRun.of("replay", journal.toString(), "--recover");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals("recovered         nothing to recover: the journal is closed\n", run.out());
    }

    @Test
    void shouldSayHowTheJournalEnds()
    {
        assertEquals("closed            yes", closed(Ending.CLOSED));
        assertEquals("closed            yes, by recovery: its writer was stopped at record 42", closed(Ending.RECOVERED));
        assertEquals("closed            no: cut short, the disk was full at record 42", closed(Ending.DISK_FULL));
        assertEquals("closed            no: cut short, the run failed at record 42", closed(Ending.FAILED));
        assertTrue(closed(Ending.OPEN).startsWith("closed            no: its writer was stopped"));
    }

    /** Each play waits for the one before, so that only the run itself reaches the end of simulated time. */
    @Test
    void shouldNotSayThatARunEndedWhichFailedMidway() throws IOException
    {
        final String request =
            "{\"type\":\"n\",\"t\":0,\"think_time\":%s,\"api_time\":0,\"in\":5,\"out\":2,\"hash_ids\":[]}";
        final Path plays = Files.writeString(directory.resolve("plays.jsonl"), ("{\"block_size\":64," +
            "\"hash_id_scope\":\"local\",\"tool_tokens\":0,\"system_tokens\":0,\"requests\":[" +
            request.formatted("0") + "," + request.formatted("1e9") + "]}\n").repeat(6));
        for (final String engine : List.of("--seed=1", "--threaded"))
        {
            final String failed = directory.resolve("failed" + engine).toString();

            final CommandRun run = CommandRun.of(
                "simulate", "--trace", plays.toString(), "--plays=1", "--block-size=64", engine, "--journal", failed);
            final CommandRun replay = CommandRun.of("replay", failed);

            assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
            assertTrue(run.err().contains("simulated time ends there"), run.err());
            assertEquals(ExitCode.OK, replay.exitCode(), replay.err());
            assertTrue(replay.out().contains("closed            no: cut short, the run failed at record "), replay.out());
            assertTrue(CommandRun.of("inspect", failed, "--request", "1").out().contains("cut short: the run failed"));
            assertEquals("recovered         nothing to recover: the journal is closed, cut short by a run that failed\n",
                CommandRun.of("replay", failed, "--recover").out());
        }
    }

    private static void print(final ByteArrayOutputStream out, final Verification verification)
    {
        new ReplayReport(Path.of("runs", "0001"), null, null, verification, null, null)
            .print(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private static String closed(final Ending ending)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        print(out, new Verification(42, 41, ending, "0123456789abcdef", List.of(), null, null));
        return out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("closed")).findFirst().orElse("");
    }

    @Test
    void shouldSayWhatItRecovered() throws IOException
    {
        final Path open = directory.resolve("open");
        try (JournalWriter writer = JournalWriter.create(open, Map.of("a", "b"), JournalConfig.of(Durability.BATCH)))
        {
            Files.createDirectory(directory.resolve("copy"));
            copy(open, directory.resolve("copy"));
            assertEquals(1, writer.records());
        }
        final CommandRun run = CommandRun.of("replay", directory.resolve("copy").toString(), "--recover");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().startsWith("recovered         1 records kept, digest "), run.out());
    }

    /** The recovery was done: the sentence names the file of the cut bytes, and says that nothing is left to verify. */
    @Test
    void shouldSayThatAJournalThatWasNeverBegunCannotBeVerified() throws IOException
    {
        final Path begun = directory.resolve("begun");
        Files.createDirectories(begun.resolve("segment-00000"));
        Files.writeString(begun.resolve("lock"), "12");

        final CommandRun run = CommandRun.of("replay", begun.toString(), "--recover", "--verify");

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertEquals("", run.out());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(begun + " holds no record, so there is nothing to verify; recovery moved what was " +
            "begun to " + begun.resolve("segment-00000.cut") + ", and the directory can be used for a new journal."),
            run.err());
    }

    private static void copy(final Path from, final Path to) throws IOException
    {
        try (Stream<Path> files = Files.walk(from))
        {
            for (final Path file : files.filter(path -> !path.equals(from)).toList())
            {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    /** The same run, but for a byte of the first message with this template; everything else is whole. */
    private Path forged(final Path journal, final int template, final int body, final int skipped)
    {
        final Path forged = directory.resolve("forged-" + template);
        try (JournalReader reader = JournalReader.open(journal);
            JournalWriter writer = JournalWriter.create(forged, reader.settings(), JournalConfig.of(Durability.PROCESS)))
        {
            final GroupReader messages = new GroupReader();
            int left = skipped;
            while (reader.next())
            {
                final UnsafeBuffer group = new UnsafeBuffer(new byte[reader.groupLength()]);
                group.putBytes(0, reader.group(), 0, reader.groupLength());
                messages.wrap(group, 0, group.capacity());
                while (left >= 0 && messages.next())
                {
                    if (messages.template() == template && left-- == 0)
                    {
                        final int at = messages.offset() + MessageHeaderDecoder.ENCODED_LENGTH + body;
                        group.putByte(at, (byte)(group.getByte(at) ^ 1));
                    }
                }
                writer.append(reader.timeNanos(), group, 0, group.capacity(), null);
            }
        }
        return forged;
    }

    /** A record that no crash and no bit rot makes: fields, digests and lives are found by replaying and reading again. */
    @Test
    void shouldShowFieldsDigestsAndTheLifeOfWhatADifferenceConcerns()
    {
        final Path journal = directory.resolve("whole");
        final CommandRun simulated = CommandRun.of("simulate", "--conversations", "20", "--ranks", "2", "--no-capture",
            "--no-verify", "--journal", journal.toString());
        assertEquals(ExitCode.OK, simulated.exitCode(), simulated.err());
        final int firstTableChange = ScheduleDecoder.BLOCK_LENGTH + 3 * 6 + 13;
        final int blockOfChange = firstTableChange + 12;
        final CommandRun run = CommandRun.of(
            "replay", forged(journal, ScheduleDecoder.TEMPLATE_ID, blockOfChange, 0).toString(), "--verify");
        assertEquals(ExitCode.CHECK_FAILED, run.exitCode(), run.err());
        assertTrue(run.out().contains("\n* tableChanges[0].blockId "), run.out());
        assertTrue(run.out().contains("recorded  replayed\n  message "), run.out());
        assertTrue(run.out().contains("Request 1 up to there, as recorded:\n\nrequest           1\nsubmitted "), run.out());
        assertTrue(run.out().contains(" of rank "), run.out());
        assertTrue(run.out().contains("allocated"), run.out());
        assertTrue(run.out().contains("state digests     the next ones, of record "), run.out());

        final CommandRun json = CommandRun.of(
            "replay", forged(journal, PlacedDecoder.TEMPLATE_ID, 16, 5).toString(), "--verify", "--json");
        assertEquals(ExitCode.CHECK_FAILED, json.exitCode(), json.err());
        final Map<String, String> leaves = JsonText.leaves(json.out());
        final String rank = leaves.get("difference.fields.rank.recorded");
        assertEquals(rank.equals("0") ? "1" : "0", leaves.get("difference.fields.rank.replayed"));
        assertFalse(leaves.get("difference.requestId").equals("null"), json.out());
        assertEquals("0", leaves.get("difference.blockEventCount"));
        assertTrue(leaves.containsKey("difference.requestLives[0].events[0].rank"), json.out());
    }

    private static final String PLACED = "[Placed](sbeTemplateId=22|sbeBlockLength=27):requestId=7|rank=%d";

    @Test
    void shouldShowBothSidesOfADifference()
    {
        final Difference difference = new Difference(
            41, 1, PLACED.formatted(3), PLACED.formatted(4), 7, -1,
            "Wake\nPlaced rank=3", "Wake\nPlaced rank=4", "Submit 7", false, "queue-aware, version 2");
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        print(out, new Verification(42, 41, Ending.OPEN, "0123456789abcdef", List.of(), difference,
            new DigestComparison(60, List.of("router"), List.of("requests"))));

        final String text = out.toString(StandardCharsets.UTF_8);
        assertTrue(text.startsWith("verified          no: 42 records"), text);
        assertTrue(text.contains("first difference  record 41, message 1 of its group, request 7\n"), text);
        assertTrue(text.contains("             recorded  replayed\n  message    Placed    Placed\n"), text);
        assertTrue(text.contains("  requestId  7         7\n* rank       3         4\n"), text);
        assertTrue(text.contains("\ndecided by        the router queue-aware, version 2: the same batches must "), text);
        assertTrue(text.contains(
            "state digests     the next ones, of record 60: they differ in router; equal in requests\n"), text);
        assertFalse(text.contains("[Placed]"), text);
    }
}
