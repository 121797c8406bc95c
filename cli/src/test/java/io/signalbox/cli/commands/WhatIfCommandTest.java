// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeAll;
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
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WhatIfCommandTest
{
    @TempDir
    private static Path directory;
    private static Path journal;

    @BeforeAll
    static void simulate()
    {
        journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of("simulate", "--conversations", "10", "--ranks", "4", "--kv-blocks", "2000",
            "--journal", journal.toString(), "--no-verify");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
    }

    private static CommandRun whatif(final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of("whatif", journal.toString()));
        arguments.addAll(List.of(options));
        return CommandRun.of(arguments);
    }

    private static Map<String, String> json(final String... options)
    {
        final List<String> all = new ArrayList<>(List.of(options));
        all.add("--json");
        final CommandRun run = whatif(all.toArray(new String[0]));
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return JsonText.leaves(run.out());
    }

    private static void assertRefused(final String sentence, final String... options)
    {
        final CommandRun run = whatif(options);
        assertEquals("signalbox whatif: " + sentence + System.lineSeparator(), run.err());
        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertEquals("", run.out());
    }

    @Test
    void shouldReproduceTheRecordAndCompareVariants()
    {
        final Map<String, String> report = json("--step-tokens", "4096", "--variant", "turns: --router round-robin",
            "--variant", "small: --kv-blocks 1000 --step-tokens 512");

        assertEquals("0", report.get("unchanged.decisions.different"));
        assertEquals(report.get("recorded.decisionDigest"), report.get("unchanged.decisions.digest"));
        assertEquals("turns", report.get("variants[0].name"));
        assertEquals("round-robin", report.get("variants[0].changed.router.label.after"));
        assertEquals("4096", report.get("variants[0].changed.scheduler.stepTokens.after"));
        assertEquals("512", report.get("variants[1].changed.scheduler.stepTokens.after"));
        assertEquals("1000", report.get("variants[1].changed.scheduler.kvBlocks.after"));
        assertNotEquals("0", report.get("variants[0].decisions.placements.different"));
        assertEquals("recorded", report.get("stepTimes.source"));
    }

    @Test
    void shouldKeepRecordedValuesOfOptionsThatAreNotGiven()
    {
        final Map<String, String> report = json("--lock-step");

        assertEquals("changed", report.get("variants[0].name"));
        final String lockStep = "variants[0].changed.scheduler.lockStep.";
        assertEquals(List.of(lockStep + "after", lockStep + "before"),
            report.keySet().stream().filter(field -> field.startsWith("variants[0].changed.")).sorted().toList());
    }

    @Test
    void shouldKeepTheTokensOfThePoolWithOtherBlocks()
    {
        final Map<String, String> report = json("--block-size", "64");

        assertEquals("500", report.get("variants[0].changed.scheduler.kvBlocks.after"));
        assertEquals("64", report.get("variants[0].changed.scheduler.blockSizeTokens.after"));
    }

    @Test
    void shouldPrintFiguresSideBySideAndASectionForEachVariant() throws IOException
    {
        final Path file = directory.resolve("whatif.json");
        final CommandRun run = whatif("--router", "round-robin", "--decisions", "2", "--json-file", file.toString());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("unchanged re-run  0 of "), run.out());
        assertTrue(run.out().contains("every step and every time is equal"), run.out());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(" +recorded +unchanged +changed")), run.out());
        assertTrue(run.out().contains("router.label: signalbox -> round-robin"), run.out());
        assertTrue(run.out().contains("First placement that differs: request "), run.out());
        assertTrue(run.out().contains("Decisions that differ, the first 2 of "), run.out());
        assertTrue(run.err().contains("for 2 re-runs, "), run.err());
        assertTrue(Files.readString(file).startsWith("{"), file.toString());
    }

    @Test
    void shouldOnlySayHowWellItReproducesTheRecordIfNothingChanges()
    {
        final CommandRun run = whatif();

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("unchanged re-run  0 of "), run.out());
        assertTrue(run.out().lines().noneMatch(line -> line.startsWith("  decisions")), run.out());
    }

    @Test
    void shouldBeginInTheMiddleWithTheRecordedCaches()
    {
        final Map<String, String> warm = json("--at", "3");
        final Map<String, String> cold = json("--at", "3", "--cold");

        assertEquals("3", warm.get("start.seconds"));
        assertTrue(Long.parseLong(warm.get("start.cachedBlocks")) > 0, warm.get("start.cachedBlocks"));
        assertEquals("0", cold.get("start.cachedBlocks"));
        assertEquals(warm.get("start.begunBefore"), cold.get("start.begunBefore"));
        assertTrue(Double.parseDouble(warm.get("unchanged.figures.tokenHitRate.value")) >
            Double.parseDouble(cold.get("unchanged.figures.tokenHitRate.value")));
        assertTrue(whatif("--at", "3").out().contains("blocks that were cached then; "), whatif("--at", "3").out());
        assertRefused("--cold is for --at, because a whole run begins with empty caches; leave it out.", "--cold");
        assertRefused("the journal has no request that had not ended before the time at which the re-runs are to begin; " +
            "give an earlier one.", "--at", "1e6");
    }

    /** The unchanged re-run computes what the record computed, and so has its load of experts. */
    @Test
    void shouldCountTheRecordedExpertsOfComputedTokens()
    {
        final Map<String, String> report = json("--expert-devices", "8", "--router", "round-robin", "--kv-blocks", "500");
        final CommandRun experts =
            CommandRun.of("inspect", journal.toString(), "--experts", "--csv", "--limit", "10");
        final List<String> hottest = experts.out().lines().skip(1).toList();

        assertEquals(10, hottest.size(), experts.out());
        for (int i = 0; i < hottest.size(); i++)
        {
            final String expert = "unchanged.experts.hottest[" + i + "].";
            assertTrue(hottest.get(i).startsWith(report.get(expert + "layer") + "," + report.get(expert + "expert") + "," +
                report.get(expert + "tokens") + ","), hottest.get(i) + " " + report.get(expert + "tokens"));
        }
        assertEquals("0", report.get("unchanged.experts.unrecordedTokens"));
        assertEquals(report.get("unchanged.figures.computedTokens.value"), report.get("unchanged.experts.tokens"));
        assertEquals(report.get("variants[0].figures.computedTokens.value"), String.valueOf(
            Long.parseLong(report.get("variants[0].experts.tokens")) +
            Long.parseLong(report.get("variants[0].experts.unrecordedTokens"))));
        final double inOrder = Double.parseDouble(report.get("variants[0].experts.busiestOverEven.inOrder"));
        final double balanced = Double.parseDouble(report.get("variants[0].experts.busiestOverEven.balanced"));
        assertTrue(balanced >= 1.0 && balanced < inOrder, balanced + " and " + inOrder);
        assertTrue(whatif("--expert-devices", "8").out().contains("on 8 devices      busiest over even load: "),
            whatif("--expert-devices", "8").out());
        assertRefused("--expert-devices=65 is not between 1 and the 64 experts of a layer; give a number in that range.",
            "--expert-devices", "65");
    }

    @Test
    void shouldTakeVariantsFromAPlan() throws IOException
    {
        final String plan = Files.writeString(directory.resolve("variants.yaml"), """
            options: {step-tokens: 4096}
            variants: {turns: {router: round-robin}, small: {step-tokens: 512}}
            grid: {kv-blocks: [1000, 2000]}
            """).toString();
        final Map<String, String> planned = json("--variants", plan);
        final Map<String, String> given = json("--step-tokens=4096",
            "--variant", "turns, kv-blocks=1000: --router round-robin --kv-blocks 1000",
            "--variant", "turns, kv-blocks=2000: --router round-robin --kv-blocks 2000",
            "--variant", "small, kv-blocks=1000: --step-tokens 512 --kv-blocks 1000",
            "--variant", "small, kv-blocks=2000: --step-tokens 512 --kv-blocks 2000");
        assertEquals("small, kv-blocks=2000", planned.get("variants[3].name"));
        assertEquals(given, planned);
        assertRefused("--variants=" + plan + " has the key seeds, which only 'signalbox sweep' reads; leave it out.",
            "--variants", changed(plan, "seeds: 2"));
        assertRefused("'workload' is not an option that can be set here; 'signalbox whatif --help' lists the options.",
            "--variants", changed(plan, "grid: {workload: [bursty]}"));
        assertRefused("--variants=" + plan + ", kv-blocks=x: Invalid value for option '--kv-blocks': 'x' is not a whole " +
            "number; 'signalbox whatif --help' lists the options.",
            "--variants", changed(plan, "grid: {kv-blocks: [x]}"));
    }

    private static String changed(final String plan, final String text) throws IOException
    {
        Files.writeString(Path.of(plan), text);
        return plan;
    }

    @Test
    void shouldReplaceStepTimes()
    {
        final Map<String, String> report = json("--step-base-nanos", "1000000");

        assertEquals("given", report.get("stepTimes.source"));
        assertEquals("1000000", report.get("stepTimes.cost.sim.stepCost.baseNanos"));
        assertNotEquals(report.get("recorded.decisionDigest"), report.get("unchanged.decisions.digest"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "--variant=--router x | --variant='--router x' has no name before a colon; give it one, such as " +
            "'half: --kv-blocks 32768'.",
        "--variant=a: --frobnicate 3 | --variant a: there is no option '--frobnicate'; 'signalbox whatif --help' lists " +
            "the options.",
        "--variant=a: --ranks many | --variant a: Invalid value for option '--ranks': 'many' is not a whole number; " +
            "'signalbox whatif --help' lists the options.",
        "--variant=a: --ranks 0 | --variant a: --ranks=0 is not between 1 and 1024; give a number in that " +
            "range.",
        "--variant=a: --depth 9 | --variant a: --steps-in-flight=9 is not between 1 and 4; give a number in that range.",
        "--variant=a: --ranks 2 --ranks 3 | --variant a: --ranks is given more than once; give it once.",
        "--variant=unchanged: --ranks 2 | a variant is called 'unchanged', as the re-run with the recorded settings; give " +
            "another name.",
        "--paused-blocks=4 | --paused-blocks needs --under-pressure pause, and it is recompute; leave it " +
            "out, or change the other.",
        "--router-options=beta=2 | --router-options names beta, which the signalbox router does not read; give some of " +
            "backlog, cachedWeight, contextWeight, decodeWeight, evictionWeight, reuseWeight, rowWeight.",
        "--decisions=-1 | --decisions=-1 is negative; give the number of decisions to list.",
        "--block-size=24 | variant changed: --block-size=24 is neither a multiple nor a divisor of the 16 tokens whose " +
            "hashes the journal has, and it has no prompt tokens; give a multiple or a divisor.",
        "--workers=0 | --workers=0 is not between 1 and 1024; give a number in that range."})
    void shouldRefuseInOneSentence(final String option, final String sentence)
    {
        assertRefused(sentence, option);
    }

    @Test
    void shouldRefuseWhatIsNoJournal()
    {
        final CommandRun run = CommandRun.of("whatif", directory.resolve("absent").toString());
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
    }
}
