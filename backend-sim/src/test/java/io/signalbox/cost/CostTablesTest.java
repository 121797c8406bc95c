// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CostTablesTest
{
    private static final CostTables TABLES = CostTables.standard();

    private static Deployment deployment(final String model, final String gpu, final String layout, final String engine)
    {
        final ServedModelShape served = ServedModelShape.of(model);
        return new Deployment(served, Gpu.parse(gpu), Parallelism.parse(layout), served.precision(), SoftwareRun.of(engine));
    }

    private static double tpot(final Deployment deployment, final int concurrency)
    {
        return new LatencyModel(TABLES).tpotMillis(
            new ServedPoint(deployment, 1024, 1024, concurrency, Double.NaN, Double.NaN));
    }

    @Test
    void shouldReadWhatItWrites()
    {
        final List<String> lines = TABLES.lines(List.of("a comment"));

        assertEquals(lines, CostTables.read(lines).lines(List.of("a comment")));
    }

    @Test
    void shouldHaveNoNegativeTimeOfAKernel()
    {
        TABLES.kernels().cells().forEach((name, cell) ->
            assertTrue(Arrays.stream(cell.coefficients()).allMatch(value -> value >= 0), name));
        assertTrue(TABLES.kernels().cells().size() > 150);
    }

    /** Published points whose version the deployment does not name. */
    @ParameterizedTest
    @CsvSource({"qwen3-235b, h100, tp8ep8, trtllm, 64, 30.7", "gpt-oss-120b, h200, tp2, vllm, 32, 10.6",
        "deepseek-r1, h200, tp8, sglang, 16, 16.6", "gpt-oss-120b, b200, tp4, vllm, 8, 3.3"})
    void shouldBeNearPublishedTimes(final String model, final String gpu, final String layout, final String engine,
        final int concurrency, final double millis)
    {
        final int output = model.startsWith("qwen") ? 256 : 1024;
        final double predicted = new LatencyModel(TABLES).tpotMillis(new ServedPoint(deployment(model, gpu, layout, engine),
            1024, output, concurrency, Double.NaN, Double.NaN));

        assertEquals(millis, predicted, 0.15 * millis);
    }

    @ParameterizedTest
    @ValueSource(strings = {"deepseek-v3", "qwen3-235b", "qwen3-30b", "mixtral-8x7b", "gpt-oss-120b", "olmoe-1b-7b"})
    void shouldTakeLongerForMoreRequestsOnEveryGpu(final String model)
    {
        for (final Gpu gpu : Gpu.values())
        {
            for (final String layout : List.of("tp8", "tp8ep8", "dp8ep8", "tp4dp2ep8"))
            {
                double last = 0;
                for (int concurrency = 1; concurrency <= 512; concurrency *= 2)
                {
                    final double millis = tpot(deployment(model, gpu.label(), layout, "vllm"), concurrency);
                    assertTrue(millis > last && millis < 1000, model + " " + gpu + " " + layout + " " + millis);
                    last = millis;
                }
            }
        }
    }

    @Test
    void shouldNameTheNewestRunOfAVersion()
    {
        final ServedModelShape model = ServedModelShape.of("gpt-oss-120b");

        assertEquals("2026-03", TABLES.run(model, Gpu.H200, "mxfp4", "vllm", "0.18.0").date());
        final ConfigException fault =
            assertThrows(ConfigException.class, () -> TABLES.run(model, Gpu.H200, "mxfp4", "vllm", "0.1"));
        assertTrue(fault.getMessage().contains("0.1") && fault.getMessage().endsWith("."), fault.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8", "tp0", "ep8", "tp8ep3", "tp2000", "dp8tp8", "tp8ep16"})
    void shouldRefuseLayoutsThatNoDeploymentHas(final String layout)
    {
        assertThrows(ConfigException.class, () -> Parallelism.parse(layout));
    }

    @Test
    void shouldPrintLayoutsAsTheyAreRead()
    {
        for (final String layout : List.of("tp8", "tp8ep8", "tp1dp8ep8", "tp4dp2"))
        {
            assertEquals(layout, Parallelism.parse(layout).text());
        }
        assertEquals(8, Parallelism.parse("dp8ep8").gpus());
    }
}
