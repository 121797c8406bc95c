// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.Flag;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The operator's way out if an input stops every replay. */
final class VoidOptionTest
{
    @TempDir
    Path temporary;

    /** A journal whose record 1 no scheduler can apply. */
    private String journal()
    {
        final Path journal = temporary.resolve("journal");
        final InputWriter input = new InputWriter();
        input.backendReset().timeNanos(1).newEpoch(1).rank(99).kvMemoryKept(Flag.NO);
        final GroupWriter group = new GroupWriter(256);
        group.append(input.buffer(), 0, input.length());
        try (JournalWriter writer = JournalWriter.create(journal,
            SchedulerConfig.builder().ranks(2).kvBlocks(64).build().settings(), JournalConfig.of(Durability.PROCESS)))
        {
            writer.append(1, group.buffer(), 0, group.length(), null);
        }
        return journal.toString();
    }

    @Test
    void shouldVoidAnInputThatThrowsAndConfirmTheRest()
    {
        final String journal = journal();
        assertEquals(ExitCode.CHECK_FAILED, CommandRun.of("replay", journal, "--verify").exitCode());

        final CommandRun run = CommandRun.of("replay", journal, "--void", "1", "--verify");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(
            run.out().startsWith("voided            record 1: (record 1 cannot be replayed: rank 99 of a"), run.out());
        assertTrue(run.out().contains("void              record 1, left out: (record 1 cannot be replayed"), run.out());
        assertEquals(ExitCode.OK, CommandRun.of("replay", journal).exitCode());
    }

    @Test
    void shouldCountVoidInputsThatARedactedJournalDoesNotHave() throws IOException
    {
        final String journal = journal();
        final Path key = Files.write(temporary.resolve("key"), new byte[40]);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertEquals(ExitCode.OK, CommandRun.of("replay", journal, "--void", "1").exitCode());
        assertEquals(ExitCode.OK, CommandRun.of("snapshot", journal).exitCode());

        final CommandRun text =
            CommandRun.of("redact", journal, temporary.resolve("new").toString(), "--journal-key", key.toString());
        final CommandRun json = CommandRun.of(
            "redact", journal, temporary.resolve("newer").toString(), "--journal-key", key.toString(), "--json");

        assertEquals(ExitCode.OK, text.exitCode(), text.err());
        final String snapshots = JsonText.leaves(json.out()).get("snapshots");
        assertTrue(text.out().contains("left out          1 void input, " + snapshots + " snapshot"), text.out());
        assertEquals("1", JsonText.leaves(json.out()).get("voided"));
    }

    @Test
    void shouldRefuseMisuseInOneSentence()
    {
        final String journal = journal();
        final CommandRun other = CommandRun.of("replay", journal, "--void", "0");
        final CommandRun behind = CommandRun.of("replay", journal, "--void", "7");
        CommandRun.of("replay", journal, "--void", "1");
        final CommandRun again = CommandRun.of("replay", journal, "--void", "1");

        assertEquals(ExitCode.BAD_INPUT, other.exitCode());
        assertTrue(other.err().contains("record 0 of " + journal + " is no input"), other.err());
        assertEquals(ExitCode.BAD_INPUT, behind.exitCode());
        assertTrue(behind.err().contains("record 7 of " + journal + " cannot be void, because record 1 ahead of it cannot " +
            "be replayed; void that one first."), behind.err());
        assertEquals(ExitCode.BAD_INPUT, again.exitCode());
        assertTrue(again.err().contains("record 1 of " + journal + " is void already"), again.err());
    }
}
