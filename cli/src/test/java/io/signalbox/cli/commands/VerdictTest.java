// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ResultStream;
import io.signalbox.cli.options.CommandModel;
import io.signalbox.journal.JournalException;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Distinguishes a verification that was not requested, one that confirms and one that does not. */
class VerdictTest
{
    private static final Function<SchedulerConfig, Scheduler> PLANTED = PlantedTieRuleTest::planted;

    @TempDir
    private Path directory;

    @Test
    void shouldShowTheDifferenceBesideTheReport()
    {
        final CommandRun run = simulate(PLANTED);

        assertEquals(ExitCode.CHECK_FAILED, run.exitCode());
        assertTrue(run.out().contains("requests          "), run.out());
        assertTrue(run.out().contains("verified          no: a decision comes out otherwise\n"), run.out());
        assertTrue(run.out().contains("first difference  record "), run.out());
        assertTrue(run.err().contains("does not verify"), run.err());
    }

    @Test
    void shouldTellThreeStatesApartInJson()
    {
        final Map<String, String> different = JsonText.leaves(simulate(PLANTED, "--json").out());
        assertEquals("false", different.get("journal.verified"));
        assertEquals("1", different.get("journal.difference.message"));
        assertEquals("a decision comes out otherwise", different.get("journal.problem"));

        final Map<String, String> confirmed = JsonText.leaves(simulate(Scheduler::new, "--json").out());
        assertEquals("true", confirmed.get("journal.verified"));
        assertEquals("null", confirmed.get("journal.difference"));

        final Map<String, String> notAsked = JsonText.leaves(simulate(PLANTED, "--json", "--no-verify").out());
        assertEquals("null", notAsked.get("journal.verified"));
        assertEquals("null", notAsked.get("journal.problem"));
    }

    @Test
    void shouldPrintTheReportOfARunWhoseJournalCannotBeRead()
    {
        final CommandRun run = simulate(config ->
        {
            throw new JournalException(JournalException.Kind.CORRUPT_RECORD, "record 7 is not what was written.");
        });

        assertEquals(ExitCode.CHECK_FAILED, run.exitCode());
        assertTrue(run.out().contains("requests          "), run.out());
        assertTrue(run.out().contains("verified          no: record 7 is not what was written."), run.out());
        assertFalse(run.err().contains("Exception"), run.err());
    }

    private CommandRun simulate(final Function<SchedulerConfig, Scheduler> verifying, final String... options)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final Console console = new Console(
            new ResultStream(out), new PrintStream(err, true, StandardCharsets.UTF_8), false);
        final Path journal = directory.resolve("journal");
        final List<String> arguments =
            new ArrayList<>(List.of("--conversations", "5", "--ranks", "4", "--journal", journal.toString()));
        arguments.addAll(List.of(options));
        final int exitCode =
            CommandModel.of(new SimulateCommand(console, verifying)).execute(arguments.toArray(new String[0]));
        console.out().flush();
        SimulateCommandTest.delete(journal);
        return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
