// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import static org.junit.jupiter.api.Assertions.assertEquals;

class StepCostFitTest
{
    private static final String HEADER =
        "backend,backend_version,model_path,system,mode,isl,osl,batch_size,tp_size,moe_ep_size," +
        "silicon_ttft_ms,silicon_tpot_ms";
    private static final String DEPLOYMENT = "trtllm,1.0.0rc3,Qwen/Qwen3-235B-A22B-FP8,h100_sxm,agg,%d,128,%d,8,8,%f,%f";

    @TempDir
    private Path directory;

    /** TPOT = 10 + 0.2 B + 0.3 B C ms, and a TTFT that grows by 5 us for each prompt token of the batch. */
    private Path exactPoints() throws IOException
    {
        final List<String> lines = new ArrayList<>(List.of(HEADER));
        for (final int batch : new int[] {4, 16, 64, 128})
        {
            for (final int prompt : new int[] {256, 1024})
            {
                final double tpot = 10 + 0.2 * batch + 0.3 * batch * prompt / 1000;
                lines.add(String.format(Locale.ROOT, DEPLOYMENT, prompt, batch, 0.005 * batch * prompt, tpot));
            }
        }
        lines.add(lines.get(1).replace(",4,8,8,", ",999,8,8,"));
        lines.add(lines.get(2).replace("h100_sxm", "h200_sxm").replaceAll("[0-9.]+$", "77"));
        return Files.write(directory.resolve("points.csv"), lines);
    }

    @Test
    void shouldFindTheFunctionThatExactPointsLieOn() throws IOException
    {
        final List<StepCostFit.Point> points = StepCostFit.read(exactPoints());
        assertEquals(8, points.size(), "without a repeated measurement and another system");
        final double[] fit = StepCostFit.decodeFit(points);
        assertEquals(10, fit[0], 1e-4);
        assertEquals(0.2, fit[1], 1e-5);
        assertEquals(0.3, fit[2], 1e-5);
        assertEquals(10_000, StepCostFit.prefillNanosPerToken(points), 1e-3);
    }

    @Test
    void shouldTellHowFarAnotherFunctionIsFromThePoints() throws IOException
    {
        final List<StepCostFit.Point> points = StepCostFit.read(exactPoints()).subList(0, 1);
        final double measured = 10 + 0.2 * 4 + 0.3 * 4 * 0.256;
        assertEquals((measured - 10) / measured, StepCostFit.relativeErrors(new double[] {10, 0, 0}, points)[0], 1e-6);
    }
}
