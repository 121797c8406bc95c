// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Plans of a few hundred weights. */
final class SmallPlans
{
    private SmallPlans()
    {
    }

    /** Two layers, the first one dense. */
    static DecoderPlan of(final WeightType type, final boolean tied)
    {
        return new DecoderPlan(ModelFamily.QWEN3_MOE, type, 2, List.of(1), 8, 16, 12, 64, 1e-6, tied,
            new AttentionPlan(2, 1, 4, 10_000.0, QkNorm.PER_HEAD, 0.0, null), ExpertsPlan.softmax(4, 2, 6, true));
    }

    /** Whether plans, matrices and vectors have the same bits. */
    static boolean same(final ModelWeights left, final ModelWeights right)
    {
        final List<Object> expected = values(left);
        return left.plan().equals(right.plan()) && expected.size() > 10 && expected.equals(values(right));
    }

    /** Bytes of matrices and texts of vectors, in the order of the layers. */
    private static List<Object> values(final ModelWeights weights)
    {
        final List<Object> values = new ArrayList<>(
            List.of(weights.embedding().bytes(), weights.head().bytes(), vector(weights.finalNorm())));
        for (final LayerWeights layer : weights.layers())
        {
            final AttentionWeights attention = layer.attention();
            values.addAll(List.of(vector(layer.inputNorm()), vector(layer.postAttentionNorm()),
                vector(attention.queryNorm()), vector(attention.keyNorm())));
            for (final WeightMatrix matrix : List.of(
                attention.query(), attention.key(), attention.value(), attention.output()))
            {
                values.add(matrix.bytes());
            }
            add(layer.dense(), values);
            if (layer.moe() != null)
            {
                values.add(layer.moe().router().bytes());
                layer.moe().experts().forEach(expert -> add(expert, values));
            }
        }
        return values;
    }

    private static void add(final FeedForward mlp, final List<Object> values)
    {
        if (mlp != null)
        {
            values.addAll(List.of(mlp.gate().bytes(), mlp.up().bytes(), mlp.down().bytes()));
        }
    }

    private static String vector(final float[] vector)
    {
        return Arrays.toString(vector);
    }
}
