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

    @Test
    void shouldSayWhatIsMissing()
    {
        final CommandRun without = CommandRun.of("calibrate");
        assertEquals(ExitCode.BAD_INPUT, without.exitCode());
        assertTrue(without.err().contains("--score is missing"), without.err());

        final CommandRun absent = CommandRun.of("calibrate", "--score", directory.resolve("no.csv").toString());
        assertEquals(ExitCode.BAD_INPUT, absent.exitCode());
    }
}
