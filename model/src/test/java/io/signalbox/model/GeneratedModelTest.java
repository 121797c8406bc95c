// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class GeneratedModelTest
{
    /** Computed from the rule in the Javadoc by another program. */
    @Test
    void shouldMakeTheWeightsOfItsRule()
    {
        final ModelWeights weights = GeneratedModel.weights(GeneratedModel.tiny(), 1);

        assertEquals(-0x1.8eb8d80000000p-3f, weights.embedding().at(0));
        assertEquals(-0x1.2c87080000000p-3f, weights.embedding().at(32_767));
        assertEquals(0x1.64aef60000000p-2f, weights.head().at(5));
        assertEquals(0x1.87f1260000000p-2f, weights.layers().get(2).moe().router().at(100));
        assertEquals(0x1.8e8f340000000p-4f, weights.layers().get(3).moe().experts().get(15).down().at(1_535));
        assertEquals(-0x1.642e500000000p-7f, weights.layers().get(0).dense().up().at(7));
        assertEquals(0x1.2529140000000p+0f, weights.finalNorm()[63]);
    }

    /** Gates are every second output of a tensor that is stored input by input, expert after expert. */
    @Test
    void shouldMakeTheExpertsOfGptOssByTheirPlaceInTheTensor()
    {
        final DecoderPlan plan = SmallPlans.gptOss(WeightType.F32, false);
        final ModelWeights weights = GeneratedModel.weights(plan, 5);
        final String prefix = "model.layers.1.mlp.experts.";
        final FeedForward expert = weights.layers().get(1).moe().experts().get(3);
        final long key = CounterBits.key(5, prefix + "gate_up_proj");
        final int inputs = plan.hidden();
        final int outputs = 2 * plan.experts().width();
        for (int row = 0; row < plan.experts().width(); row++)
        {
            for (int column = 0; column < inputs; column++)
            {
                final long gate = (3L * inputs + column) * outputs + 2 * row;
                final int index = row * inputs + column;
                assertEquals(CounterBits.odd(key, gate) * CounterBits.UNIT / 2, expert.gate().at(index));
                assertEquals(CounterBits.odd(key, gate + 1) * CounterBits.UNIT / 2, expert.up().at(index));
            }
        }
        assertEquals(CounterBits.odd(CounterBits.key(5, prefix + "down_proj"), (3L * 6 + 4) * 8 + 7) *
            CounterBits.UNIT / 2, expert.down().at(7 * 6 + 4));
        assertEquals(CounterBits.odd(CounterBits.key(5, prefix + "gate_up_proj_bias"), 3L * outputs + 5) *
            CounterBits.UNIT / 16, expert.biases().up()[2]);
    }

    @Test
    void shouldRoundBf16FromTheSameWeights()
    {
        final ModelWeights wide = GeneratedModel.weights(SmallPlans.of(WeightType.F32, false), 9);
        final ModelWeights narrow = GeneratedModel.weights(SmallPlans.of(WeightType.BF16, false), 9);
        final float[] floats = new float[wide.head().count()];
        final short[] halves = new short[narrow.head().count()];
        wide.head().copyTo(floats);
        narrow.head().copyTo(halves);

        for (int i = 0; i < floats.length; i++)
        {
            assertEquals(WeightType.toBf16(floats[i]), halves[i]);
            assertEquals(WeightType.bf16(halves[i]), narrow.head().at(i));
        }
        assertThrows(IllegalStateException.class, () -> wide.head().copyTo(halves));
    }

    @Test
    void shouldDependOnSeedAndTensorAndIndex()
    {
        final DecoderPlan plan = GeneratedModel.tiny();
        final List<FeedForward> experts = GeneratedModel.weights(plan, 1).layers().get(1).moe().experts();

        assertNotEquals(experts.get(0).gate().at(0), experts.get(1).gate().at(0));
        assertNotEquals(experts.get(0).gate().at(0), experts.get(0).gate().at(1));
        assertNotEquals(experts.get(0).gate().at(0),
            GeneratedModel.weights(plan, 2).layers().get(1).moe().experts().get(0).gate().at(0));
    }

    @Test
    void shouldKeepTheVarianceOfASumNearOne()
    {
        final WeightMatrix matrix = GeneratedModel.weights(GeneratedModel.tiny(), 5).layers().get(0).attention().query();
        double squares = 0.0;
        double sum = 0.0;
        for (int i = 0; i < matrix.count(); i++)
        {
            squares += (double)matrix.at(i) * matrix.at(i);
            sum += matrix.at(i);
        }
        final double variance = squares / matrix.count() * matrix.columns();
        assertTrue(variance > 0.24 && variance < 1.01, "variance " + variance);
        assertTrue(Math.abs(sum / matrix.count()) < 0.01, "sum " + sum);
    }

    @Test
    void shouldRoundToBf16AsIeeeDoes()
    {
        assertEquals((short)0x3f80, WeightType.toBf16(1.0f));
        assertEquals((short)0x3f80, WeightType.toBf16(Float.intBitsToFloat(0x3f808000)));
        assertEquals((short)0x3f82, WeightType.toBf16(Float.intBitsToFloat(0x3f818000)));
        assertEquals((short)0x3f81, WeightType.toBf16(Float.intBitsToFloat(0x3f808001)));
        assertEquals((short)0x8000, WeightType.toBf16(-0.0f));
        assertEquals((short)0x7f80, WeightType.toBf16(Float.MAX_VALUE));
        assertTrue(Float.isNaN(WeightType.bf16(WeightType.toBf16(Float.intBitsToFloat(0x7f800001)))));
    }
}
