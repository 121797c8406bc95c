// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TokenSamplerTest
{
    private static final float[] LOGITS = {9, 9, -1.0f, 2.5f, 0.0f, 2.5f, 1.0f, -0.0f, 9};
    private static final int AT = 2;
    private static final int COUNT = 6;

    private final TokenSampler sampler = new TokenSampler();

    private int next(final float temperature, final int topK, final float topP, final long seed, final int position)
    {
        return sampler.next(LOGITS, AT, COUNT, new TokenSampler.SamplingChoice(temperature, topK, topP, seed), position);
    }

    @Property
    void shouldChooseAsDefined(@ForAll final long seed)
    {
        TokenByDefinition.check(seed);
    }

    @Test
    void shouldTakeTheFirstLargestWithoutATemperature()
    {
        assertEquals(1, next(0, 3, 0.5f, 1, 2));
    }

    @Test
    void shouldTakeTheFirstOfEqualCandidates()
    {
        for (int seed = 0; seed < 50; seed++)
        {
            assertEquals(1, next(1, 1, 1, seed, 7), "top-k of 1");
            assertEquals(1, next(1, 0, 0.01f, seed, 7), "top-p of one token");
        }
    }

    /** Frequencies over many seeds are the probabilities; tokens outside of top-k and top-p never come. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void shouldFollowTheProbabilities(final int topK)
    {
        final int draws = 40_000;
        final int[] counts = new int[COUNT];
        for (int seed = 0; seed < draws; seed++)
        {
            counts[next(2, topK, 1, seed, 3)]++;
        }
        double sum = 0;
        for (int i = 0; i < COUNT; i++)
        {
            sum += kept(i, topK) ? Math.exp(LOGITS[AT + i] / 2.0) : 0;
        }
        for (int i = 0; i < COUNT; i++)
        {
            final double share = kept(i, topK) ? Math.exp(LOGITS[AT + i] / 2.0) / sum : 0;
            assertEquals(share, counts[i] / (double)draws, share == 0 ? 0 : 0.01, "token " + i);
        }
    }

    private static boolean kept(final int token, final int topK)
    {
        return topK == 0 || token == 1 || token == 3 || token == 4;
    }

    @Test
    void shouldKeepTheFewestTokensThatReachTopP()
    {
        // Shares 0.39, 0.39, 0.088 and less: 0.5 needs two, 0.8 three.
        final boolean[] two = new boolean[COUNT];
        final boolean[] three = new boolean[COUNT];
        for (int seed = 0; seed < 3000; seed++)
        {
            two[next(1, 0, 0.5f, seed, 0)] = true;
            three[next(1, 0, 0.85f, seed, 0)] = true;
        }
        assertTrue(two[1] && two[3] && !two[4], "0.5 keeps two");
        assertTrue(three[1] && three[3] && three[4] && !three[2] && !three[5], "0.85 keeps three");
    }

    /** The same seed and position draw the same number; neighbours do not. */
    @Test
    void shouldDrawBySeedAndPosition()
    {
        int equal = 0;
        double sum = 0;
        for (int position = 0; position < 1000; position++)
        {
            final long drawn = TokenSampler.random(5, position);
            assertTrue(drawn >= 0);
            assertEquals(drawn, TokenSampler.random(5, position));
            equal += drawn == TokenSampler.random(5, position + 1) || drawn == TokenSampler.random(6, position) ? 1 : 0;
            sum += drawn * 0x1.0p-63;
        }
        assertEquals(0, equal);
        assertEquals(0.5, sum / 1000, 0.03);
    }

    @Test
    void shouldReportLogProbabilities()
    {
        double sum = 0;
        for (int i = 0; i < COUNT; i++)
        {
            sum += Math.exp(LOGITS[AT + i]);
        }
        for (int i = 0; i < COUNT; i++)
        {
            assertEquals(LOGITS[AT + i] - Math.log(sum), sampler.logprob(LOGITS, AT, COUNT, i), 1e-6);
        }
    }

    @Test
    void shouldSortAllFloats()
    {
        final SplittableRandom random = new SplittableRandom(3);
        final float[] logits = new float[500];
        for (int i = 0; i < logits.length; i++)
        {
            logits[i] = (float)random.nextDouble(-20, 20);
        }
        int best = 0;
        for (int i = 1; i < logits.length; i++)
        {
            best = logits[i] > logits[best] ? i : best;
        }
        assertEquals(best, sampler.next(logits, 0, 500, new TokenSampler.SamplingChoice(0.7f, 1, 1, 9), 4));
        assertEquals(0, sampler.next(new float[] {-3, -4}, 0, 2, new TokenSampler.SamplingChoice(1, 1, 1, 9), 4));
    }

    @Test
    void shouldRefuseLogitsThatAreNoNumbers()
    {
        final float[] logits = {1, Float.NaN};
        assertThrows(ArithmeticException.class,
            () -> sampler.next(logits, 0, 2, new TokenSampler.SamplingChoice(0, 0, 1, 9), 4));
        assertThrows(ArithmeticException.class,
            () -> sampler.next(logits, 0, 2, new TokenSampler.SamplingChoice(1, 0, 1, 9), 4));
    }
}
