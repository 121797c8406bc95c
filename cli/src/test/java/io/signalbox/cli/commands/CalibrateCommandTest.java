// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CalibrateCommandTest
{
    @TempDir
    private Path directory;

    private Path points() throws IOException
    {
        return Files.writeString(directory.resolve("points.csv"), """
            silicon_data_source,backend,model_path,system,precision,mode,isl,osl,batch_size,tp_size,\
            silicon_ttft_ms,silicon_tpot_ms
            concurrency=8,vllm,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,8,2,70,6
            concurrency=32,vllm,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,32,2,125,10.6
            concurrency=32,vllm,openai/gpt-oss-120b,h200_sxm,fp4,disagg,1024,1024,32,2,125,10.6
            """);
    }

    @Test
    void shouldScoreAFileAsTheIssueNamesTheFields() throws IOException
    {
        final CommandRun run = CommandRun.of("calibrate", "--score", points().toString(), "--json");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final Map<String, String> leaves = JsonText.leaves(run.out());
        assertEquals("2", leaves.get("score.points"));
        assertEquals("1", leaves.get("score.excluded.disaggregated"));
        for (final String figure : new String[] {"tpot.meanPercent", "tpot.medianPercent", "ttft.meanPercent",
            "ttft.medianPercent", "shape.tpot.meanPercent", "shape.ttft.meanPercent"})
        {
            final double percent = Double.parseDouble(leaves.get("score." + figure));
            assertTrue(percent > 0 && percent < 40, figure + " " + percent);
        }
    }

    @Test
    void shouldPrintATable() throws IOException
    {
        final CommandRun run = CommandRun.of("calibrate", "--score", points().toString());

        assertTrue(run.out().contains("TPOT shape") && run.out().contains("2 points scored, 1 row excluded"), run.out());
    }

    private static void assertRefused(final String part, final String... arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.out());
        assertTrue(run.err().contains(part), run.err());
    }

    @Test
    void shouldSayWhatIsMissing() throws IOException
    {
        final String points = points().toString();
        final String out = directory.resolve("cost.json").toString();

        assertRefused("no measurement is given; give files", "calibrate");
        assertRefused("no.csv", "calibrate", "--score", directory.resolve("no.csv").toString());
        assertRefused("--score compares what ships", "calibrate", points, "--score", points);
        assertRefused("--out is missing; give the path", "calibrate", points);
        assertRefused("--gpu is for a --model", "calibrate", points, "--out", out, "--gpu", "h200");
        assertRefused("is the input of FILE, which it would replace", "calibrate", points, "--out", points);
        assertTrue(Files.notExists(Path.of(out)), "a refused command wrote its file");
    }

    private Map<String, String> calibrate(final String... arguments)
    {
        final CommandRun run = CommandRun.of(Stream.concat(Stream.of("calibrate", "--json"), Stream.of(arguments))
            .toArray(String[]::new));
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return JsonText.leaves(run.out());
    }

    private static Map<String, String> json(final String... arguments)
    {
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return JsonText.leaves(run.out());
    }

    /** The costs of a journal's run are those of its calibration, and a what-if with them changes nothing. */
    @Test
    void shouldFitTheStepsOfAJournal()
    {
        final String journal = directory.resolve("journal").toString();
        final String cost = directory.resolve("cost.json").toString();
        final Map<String, String> run = json("simulate", "--json", "--journal", journal, "--conversations", "20", "--ranks",
            "2", "--step-base-nanos", "5000000", "--prefill-token-nanos", "40000", "--no-capture");

        final Map<String, String> fit = calibrate(journal, "--out", cost);
        assertTrue(Double.parseDouble(fit.get("fit.steps.medianErrorPercent")) < 1, fit.toString());
        assertTrue(fit.get("fit.verdict").startsWith("a typical step is within 0."), fit.get("fit.verdict"));

        final Map<String, String> again = json("whatif", journal, "--cost", cost, "--json");
        assertEquals("given", again.get("stepTimes.source"));
        final double tpot = Double.parseDouble(run.get("latency.tpot.p50Ms"));
        assertEquals(tpot, Double.parseDouble(again.get("unchanged.figures.tpotP50Ms.value")), 0.02 * tpot);
    }

    @Test
    void shouldSayThatARunIsExtrapolated() throws IOException
    {
        final Path table = Files.writeString(directory.resolve("own.csv"), """
            concurrency,isl,osl,ttft_ms,tpot_ms
            1,200,50,60,12
            2,200,50,65,12.5
            4,200,50,70,13
            """);
        final String cost = directory.resolve("cost.json").toString();
        assertEquals("4", calibrate(table.toString(), "--out", cost).get("fit.mostConcurrency"));

        final String[] within = {"simulate", "--json", "--no-journal", "--no-capture", "--cost", cost, "--workload",
            "benchmark", "--conversations", "6", "--ranks", "1", "--user-tokens", "fixed:200", "--clients", "3"};
        assertEquals(null, json(within).get("extrapolated[0]"));
        within[within.length - 1] = "6";
        within[within.length - 3] = "fixed:900";
        final Map<String, String> beyond = json(within);
        assertEquals("prompts have up to 900 tokens, and the measured ones had up to 222", beyond.get("extrapolated[0]"));
        assertEquals("steps have up to 6 requests, and the measured ones had up to 4", beyond.get("extrapolated[1]"));
        assertTrue(CommandRun.of("simulate", "--no-journal", "--no-capture", "--cost", cost, "--user-tokens", "fixed:900",
            "--conversations", "1").out().startsWith("extrapolated      step times: prompts have up to"), "text");
    }
}
