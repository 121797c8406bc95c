// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.ConfigException;
import io.signalbox.SeededTokens;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SeededValuesTest
{
    /** SimulatedBackendTest has the same values. */
    @Test
    void shouldSampleTheTokensThatTheSimulatedBackendSamples()
    {
        assertEquals(6928, SeededTokens.token(0, 0, 1));
        assertEquals(43917, SeededTokens.token(1, 2, 3));
        assertEquals(49996, SeededTokens.token(42, 1_000_000_007L, 4096));
        assertEquals(26007, SeededTokens.token(-7, (1L << 62) + 5, 1));
    }

    @Property
    void shouldMakeLogitsThatBf16HoldsExactly(
        @ForAll final long seed, @ForAll final long request, @ForAll @IntRange(min = 0) final int position,
        @ForAll @IntRange(min = 1, max = 512) final int levels)
    {
        final float[] logits = new float[64];
        new SeededLogits(seed, levels).fill(request, position, 3, logits);
        for (final float logit : logits)
        {
            assertEquals(0, Float.floatToRawIntBits(logit) & 0xFFFF);
            assertTrue(Math.abs(logit) <= 8);
        }
    }

    @Test
    void shouldUseAllLevelsAndNoMore()
    {
        final Set<Float> values = new HashSet<>();
        final SeededLogits logits = new SeededLogits(7, 5);
        for (int expert = 0; expert < 512; expert++)
        {
            values.add(logits.logit(1, 2, 3, expert));
        }
        assertEquals(5, values.size());
    }

    @Test
    void shouldRefuseLevelsThatBf16CannotTellApart()
    {
        assertThrows(ConfigException.class, () -> new SeededLogits(1, 0));
        final ConfigException refusal = assertThrows(ConfigException.class, () -> new SeededLogits(1, 513));
        assertTrue(refusal.getMessage().contains("levels=513"), refusal.getMessage());
    }
}
