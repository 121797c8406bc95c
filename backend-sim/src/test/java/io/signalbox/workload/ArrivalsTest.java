// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ArrivalsTest
{
    private static final int COUNT = 100_000;

    @TempDir
    private Path directory;

    private static double[] gaps(final String text)
    {
        final long[] times = GeneratedWorkloadConfig.ARRIVALS.parse(text).draw(COUNT, new SplitMix64(5));
        final double[] gaps = new double[COUNT - 1];
        for (int i = 0; i < gaps.length; i++)
        {
            gaps[i] = (times[i + 1] - times[i]) / 1e9;
            assertTrue(gaps[i] >= 0.0);
        }
        return gaps;
    }

    private static double mean(final double[] values)
    {
        double sum = 0.0;
        for (final double value : values)
        {
            sum += value;
        }
        return sum / values.length;
    }

    private static double coefficientOfVariation(final double[] values)
    {
        final double mean = mean(values);
        double squares = 0.0;
        for (final double value : values)
        {
            squares += (value - mean) * (value - mean);
        }
        return Math.sqrt(squares / values.length) / mean;
    }

    @Test
    void shouldArriveAtTheRateOfPoisson()
    {
        final double[] gaps = gaps("poisson:4");
        assertEquals(0.25, mean(gaps), 0.005);
        assertEquals(1.0, coefficientOfVariation(gaps), 0.03);
    }

    @Test
    void shouldArriveInClumpsAtTheSameRate()
    {
        final double[] gaps = gaps("bursty:4,3");
        assertEquals(0.25, mean(gaps), 0.02);
        assertEquals(3.0, coefficientOfVariation(gaps), 0.2);
    }

    @Test
    void shouldReplayTheTimestampsOfATrace() throws IOException
    {
        final Path trace = directory.resolve("trace.jsonl");
        Files.writeString(trace, """
            {"timestamp": 5, "input_length": 3, "output_length": 1, "hash_ids": [1]}
            {"timestamp": 9, "input_length": 3, "output_length": 1, "hash_ids": [2]}
            {"timestamp": 9, "input_length": 3, "output_length": 1, "hash_ids": [3]}
            """);
        final Arrivals arrivals = GeneratedWorkloadConfig.ARRIVALS.parse("replayed:" + trace);
        assertArrayEquals(new long[] {5_000_000, 9_000_000}, arrivals.draw(2, new SplitMix64(0)));
        final String message =
            assertThrows(ConfigException.class, () -> arrivals.draw(4, new SplitMix64(0))).getMessage();
        assertTrue(message.contains("has 3 arrivals and 4 conversations are wanted"), message);
        assertEquals("replayed:" + trace, arrivals.text());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "poisson", "poisson:", "poisson:0", "poisson:-1", "poisson:NaN", "poisson:1,2", "bursty:4", "bursty:4,0",
        "bursty:4,1e9", "replayed:", "uniform:3"})
    void shouldRefuseATextThatIsNoArrivalProcess(final String text)
    {
        final String message =
            assertThrows(ConfigException.class, () -> GeneratedWorkloadConfig.ARRIVALS.parse(text)).getMessage();
        assertTrue(message.startsWith("arrivals=" + text), message);
        assertTrue(message.contains("give poisson:RATE"), message);
    }
}
