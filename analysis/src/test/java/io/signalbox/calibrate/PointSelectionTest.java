// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.ConfigException;
import io.signalbox.cost.ServedPoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PointSelectionTest
{
    private static final String HEADER = "silicon_data_source,backend,backend_version,model_path,system,precision,mode," +
        "isl,osl,batch_size,tp_size,attention_dp_size,moe_tp_size,moe_ep_size,silicon_ttft_ms,silicon_tpot_ms";
    private static final String LISTED = "db-dump/2026; silicon_concurrency=32; measured=2026-03-25";

    @TempDir
    private Path directory;

    private PointSelection select(final String... rows) throws IOException
    {
        return PointSelection.of(
            Files.writeString(directory.resolve("points.csv"), HEADER + "\n" + String.join("\n", rows)));
    }

    @Test
    void shouldCountWhatItLeavesOutByReason() throws IOException
    {
        final PointSelection selection = select(
            LISTED + ",vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,32,2,1,2,1,120,10",
            LISTED + ",vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,64,2,1,2,1,120.1,10.01",
            LISTED + ",vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,32,2,1,2,1,7001,50",
            LISTED + ",vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,128,32,2,1,2,1,400,10",
            LISTED + ",vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,disagg,1024,1024,32,2,1,2,1,120,10",
            LISTED + ",vllm,1,openai/gpt-oss-120b,gb200,fp4,agg,1024,1024,32,2,1,2,1,120,10",
            LISTED + ",vllm,1,meta-llama/Llama-3.1-70B,h200_sxm,fp8,agg,1024,1024,32,2,1,1,1,120,10",
            LISTED + ",vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,32,2,1,2,1,,10");

        assertEquals(1, selection.points().size());
        assertEquals(2, selection.saturated().size());
        assertEquals(Map.of("copy of another row", 1, "saturated", 2, "disaggregated", 1, "incomplete", 1,
            "GPU without kernel measurements", 1, "model without kernel measurements", 1), selection.excluded());
    }

    @Test
    void shouldReadSquaredLabelsAsTheGpusThatTheyMean() throws IOException
    {
        final List<ServedPoint> points = select(
            LISTED + ",trtllm,1,deepseek-ai/DeepSeek-V3,h200_sxm,fp8,agg,1024,1024,4,64,1,8,8,120,10",
            LISTED + ",trtllm,1,deepseek-ai/DeepSeek-V3,h200_sxm,fp8,agg,1024,1024,4,1,16,4,4,220,20",
            "source_file=a.csv,trtllm,1,deepseek-ai/DeepSeek-V3,h200_sxm,fp8,agg,1024,1024,4,1,8,1,8,320,30").points();

        assertEquals(List.of("tp8ep8", "tp1dp4ep4", "tp1dp8ep8"),
            points.stream().map(point -> point.deployment().parallelism().text()).toList());
        assertEquals(List.of(32, 32, 32), points.stream().map(ServedPoint::concurrency).toList());
        assertEquals("a.csv", points.get(2).deployment().run().source());
    }

    @Test
    void shouldScoreTimesAndShapes() throws IOException
    {
        final List<ServedPoint> points = select(
            "concurrency=8,vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,8,2,1,2,1,100,10",
            "concurrency=16,vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,1024,16,2,1,2,1,200,20",
            "concurrency=16,vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,8192,1024,16,2,1,2,1,400,40").points();
        final AccuracyScore score = AccuracyScore.of(List.of(
            new AccuracyScore.Prediction(points.get(0), 11, 100),
            new AccuracyScore.Prediction(points.get(1), 20, 100),
            new AccuracyScore.Prediction(points.get(2), 32, 400)));

        assertEquals(10.0, score.tpot().meanPercent(), 1e-9);
        assertEquals(10.0, score.tpot().medianPercent(), 1e-9);
        assertEquals(50.0 / 3, score.ttft().meanPercent(), 1e-9);
        assertEquals(1, score.tpotShape().count());
        assertEquals(100 * (1 - 20.0 / 11 / 2), score.tpotShape().meanPercent(), 1e-9);
        assertEquals(50.0, score.ttftShape().meanPercent(), 1e-9);
    }

    @Test
    void shouldNameAMissingColumnAndABadNumber() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("other.csv"), "a,b\n1,2\n");
        assertEquals(file + " has no column 'model_path'; give a CSV file with the columns model_path, system, backend, " +
            "mode, isl, osl, batch_size, tp_size, silicon_ttft_ms, silicon_tpot_ms.",
            assertThrows(ConfigException.class, () -> PointSelection.of(file)).getMessage());
        final String message = assertThrows(ConfigException.class, () -> select(
            LISTED + ",vllm,1,openai/gpt-oss-120b,h200_sxm,fp4,agg,many,1024,32,2,1,2,1,120,10")).getMessage();
        assertTrue(message.endsWith("row 1 after the header: isl='many' is not a number; correct the row."), message);
    }
}
