// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SizeDistributionTest
{
    private static final int DRAWS = 100_001;

    private static int[] sorted(final SizeDistribution distribution)
    {
        final SplitMix64 random = new SplitMix64(7);
        final int[] values = IntStream.generate(() -> distribution.draw(random)).limit(DRAWS).toArray();
        Arrays.sort(values);
        return values;
    }

    @ParameterizedTest
    @ValueSource(strings = {"lognormal:200.0,1.0,8,4096", "zipf:1.2,1,500", "fixed:17"})
    void shouldReadBackItsOwnText(final String text)
    {
        assertEquals(text, GeneratedWorkloadConfig.TURNS.parse(text).text());
    }

    @Test
    void shouldDrawLognormalAroundItsMedianWithinItsRange()
    {
        final int[] values = sorted(GeneratedWorkloadConfig.TURNS.parse("lognormal:200,1.0,8,4096"));
        assertTrue(values[0] >= 8);
        assertTrue(values[DRAWS - 1] <= 4096);
        assertEquals(200, values[DRAWS / 2], 6);
        // One standard deviation up is a factor of e.
        assertEquals(200 * Math.E, values[(int)(DRAWS * 0.8413)], 20);
    }

    @Test
    void shouldDrawZipfByItsExponent()
    {
        final int[] values = sorted(GeneratedWorkloadConfig.TURNS.parse("zipf:1,3,4"));
        final long smaller = Arrays.stream(values).filter(value -> value == 3).count();
        assertEquals(2.0 / 3.0, (double)smaller / DRAWS, 0.01);
        assertEquals(3, values[0]);
        assertEquals(4, values[DRAWS - 1]);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "zipf", "zipf:1", "zipf:x,1,2", "zipf:1,0,2", "zipf:1,5,4", "zipf:-1,1,2", "zipf:NaN,1,2", "fixed:0",
        "fixed:1,2",
        "lognormal:0,1,1,2", "lognormal:5,-1,1,2", "lognormal:5,NaN,1,2", "lognormal:5,1,1,99999999", "normal:1,2,3,4"})
    void shouldRefuseATextThatIsNoDistribution(final String text)
    {
        final String message =
            assertThrows(ConfigException.class, () -> GeneratedWorkloadConfig.TURNS.parse(text)).getMessage();
        assertTrue(message.startsWith("turns=" + text), message);
        assertTrue(message.contains("give lognormal:MEDIAN"), message);
    }
}
