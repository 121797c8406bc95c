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

    /** Two layers of gpt-oss, the first one with a window. */
    static DecoderPlan gptOss(final WeightType type, final boolean tied)
    {
        final AttentionPlan attention = new AttentionPlan(2, 1, 4, 150_000.0, QkNorm.NONE, 0.0, null,
            new YarnScaling(4.0, 32, 32.0, 1.0, false, YarnScaling.magnitude(4.0, 1.0), 1.0),
            new AttentionWindow(5, List.of(0)), true, true);
        return new DecoderPlan(ModelFamily.GPT_OSS, type, 2, List.of(0, 1), 8, 16, 0, 64, 1e-5, tied, attention,
            new ExpertsPlan(4, 2, 6, ExpertScoring.TOP_K_THEN_SOFTMAX, false, true, 1, 1, 1.0, 0, 7.0));
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
                vector(attention.queryNorm()), vector(attention.keyNorm()), vector(attention.sinks())));
            if (attention.biases() != null)
            {
                values.addAll(List.of(vector(attention.biases().query()), vector(attention.biases().key()),
                    vector(attention.biases().value()), vector(attention.biases().output())));
            }
            for (final WeightMatrix matrix : List.of(
                attention.query(), attention.key(), attention.value(), attention.output()))
            {
                values.add(matrix.bytes());
            }
            add(layer.dense(), values);
            if (layer.moe() != null)
            {
                values.add(layer.moe().router().bytes());
                values.add(vector(layer.moe().routerBias()));
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
            if (mlp.biases() != null)
            {
                values.addAll(List.of(
                    vector(mlp.biases().gate()), vector(mlp.biases().up()), vector(mlp.biases().down())));
            }
        }
    }

    private static String vector(final float[] vector)
    {
        return Arrays.toString(vector);
    }
}
