// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code --faults} of simulate and compare. */
class SimulateFaultsTest
{
    private static final String PLAN = "rank 1 step 20 lost back-after 300ms; rank 0 step 9..10 failed ECC error";

    @TempDir
    private Path directory;

    private CommandRun simulate(final String faults, final String... more)
    {
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--conversations", "6", "--limit", "20",
            "--ranks", "2", "--journal", directory.resolve("journal").toString(), "--faults", faults));
        arguments.addAll(List.of(more));
        return CommandRun.of(arguments);
    }

    private static String refusal(final CommandRun run)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals("", run.out());
        assertEquals(1, run.err().strip().lines().count(), run.err());
        return run.err().strip();
    }

    @Test
    void shouldReportWhatWentWrong()
    {
        final CommandRun run = simulate(PLAN);

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("\nfaults injected   2 failed, 1 lost\nsteps given up    3 failed, 0 timed out, "),
            run.out());
        assertTrue(run.out().contains("\nranks lost        rank 1 lost 1 \u00d7, down 0.300 s; backend reset 1 \u00d7\n"),
            run.out());
        assertTrue(run.out().contains("\nverified          yes: "), run.out());
    }

    @Test
    void shouldDescribeThePlanInTheJournalsSettings()
    {
        final Map<String, String> report = JsonText.leaves(simulate(PLAN, "--json").out());

        assertEquals("2", report.get("faults.injected.failed"));
        assertEquals("1", report.get("faults.lostRanks[0].rank"));
        assertEquals("true", report.get("journal.verified"));
        assertTrue(report.get("settings.sim.faults").startsWith(
            "rank 1 step 20 lost back-after 300ms; rank 0 step 9..10 failed ECC error; late-by="), report.toString());
    }

    @Test
    void shouldReadTheSamePlanFromAFileAndFromItsDescription() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("plan.faults"),
            "# caf\u00e9\nrank 1 step 20 lost back-after 300ms\r\n\nrank 0 step 9..10 failed ECC error\n");
        final String inLine = digest("a", PLAN);

        assertEquals(inLine, digest("b", file.toString()));
        final String described = JsonText.leaves(simulate(file.toString(), "--json").out()).get("settings.sim.faults");
        assertEquals(inLine, digest("c", described));
    }

    private String digest(final String name, final String faults)
    {
        final CommandRun run = CommandRun.of("simulate", "--conversations", "6", "--limit", "20", "--ranks", "2",
            "--journal", directory.resolve(name).toString(), "--faults", faults, "--json");
        return JsonText.leaves(run.out()).get("journal.digest");
    }

    @Test
    void shouldSayThatNothingWasReached()
    {
        assertTrue(simulate("rank 0 step 99999 dropped").out()
            .contains("\nfaults injected   none; 1 of the plan not reached\n"));
    }

    @Test
    void shouldSayNothingOfFaultsWithoutAPlan()
    {
        final CommandRun run = CommandRun.of("simulate", "--conversations", "2", "--no-journal");

        assertFalse(run.out().contains("faults"), run.out());
        final String json = CommandRun.of("simulate", "--conversations", "2", "--no-journal", "--json").out();
        assertTrue(json.contains("\"faults\" : null"), json);
    }

    @Test
    void shouldCompareRoutersUnderFaults()
    {
        final List<String> arguments = List.of("compare", "--conversations", "4", "--ranks", "2", "--seeds", "2",
            "--router", "default", "--faults", "failed=0.2,late=0.2", "--json");
        final Map<String, String> faulty = JsonText.leaves(CommandRun.of(arguments).out());
        final Map<String, String> steady = JsonText.leaves(CommandRun.of(
            arguments.stream().filter(word -> !word.startsWith("--faults") && !word.startsWith("failed")).toList()).out());

        assertTrue(faulty.get("settings.sim.faults").startsWith("late=0.2,failed=0.2,"), faulty.toString());
        assertFalse(steady.containsKey("settings.sim.faults"));
        assertTrue(Double.parseDouble(faulty.get("cells[0].tpotP90Ms.mean")) >
            Double.parseDouble(steady.get("cells[0].tpotP90Ms.mean")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        rank 1 step 20 exploded | --faults: line 1, column 16 of the fault plan: 'exploded' is no fault; write late,
        late=2                  | --faults: line 1, column 6 of the fault plan: '2' is not a rate; write the share
        rank 9 step 2 dropped   | the fault 'rank 9 step 2 dropped' names rank 9, but the ranks are 0 to 1; name one
        late                    | --faults=late is not there; give a file with a fault plan, or a plan such as
        ''                      | --faults is empty; give a plan such as 'rank 2 step 40 failed', or a file with one.
        """)
    void shouldRefuseAWrongPlanInOneSentence(final String plan, final String sentence)
    {
        assertTrue(refusal(simulate(plan)).contains(sentence), simulate(plan).err());
        assertFalse(Files.exists(directory.resolve("journal")));
    }

    @Test
    void shouldRefuseWrongFilesInOneSentence() throws IOException
    {
        final Path wrong = Files.writeString(directory.resolve("wrong"), "# one\nrank 0 step 1 dropped\nrank 0 step\n");
        final Path binary = Files.write(directory.resolve("binary"), new byte[] {'r', -1, -2});
        final Path large = Files.writeString(directory.resolve("large"), "#".repeat(70_000));

        assertTrue(refusal(simulate(wrong.toString())).contains(
            "--faults=" + wrong + ": line 3, column 12 of the fault plan: nothing is not a step; write"));
        assertTrue(refusal(simulate(binary.toString())).contains("--faults=" + binary + " is not text in UTF-8"));
        assertTrue(refusal(simulate(large.toString())).contains("has more than 65536 bytes"));
        assertTrue(refusal(simulate(directory.toString())).contains("--faults=" + directory + " is a directory"));
    }

    @Test
    void shouldNotWriteTheReportOverThePlan() throws IOException
    {
        final Path plan = Files.writeString(directory.resolve("plan"), PLAN);

        assertTrue(refusal(simulate(plan.toString(), "--json-file", plan.toString())).contains("--faults"));
        assertEquals(PLAN, Files.readString(plan));
        final CommandRun compared = CommandRun.of(
            "compare", "--faults", plan.toString(), "--csv-file", plan.toString());
        assertTrue(refusal(compared).contains("--faults"));
        assertEquals(PLAN, Files.readString(plan));
    }
}
