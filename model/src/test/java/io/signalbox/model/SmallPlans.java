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
        return DecoderPlan.of(ModelFamily.QWEN3_MOE, type, 2, 8, 16, AttentionPlan.of(2, 1, 4, 10_000.0)
            .withQkNorm(QkNorm.PER_HEAD), ExpertsPlan.softmax(4, 2, 6, true)).withMoeLayers(List.of(1), 12)
            .withMaxPositions(64).withNormEpsilon(1e-6).withTiedEmbeddings(tied);
    }

    /** Two layers of gpt-oss, the first one with a window. */
    static DecoderPlan gptOss(final WeightType type, final boolean tied)
    {
        final AttentionPlan attention = AttentionPlan.of(2, 1, 4, 150_000.0)
            .withYarn(new YarnScaling(4.0, 32, 32.0, 1.0, false, YarnScaling.magnitude(4.0, 1.0), 1.0))
            .withWindow(new AttentionWindow(5, List.of(0))).withBiases(true).withSinks(true);
        return DecoderPlan.of(ModelFamily.GPT_OSS, type, 2, 8, 16, attention, ExpertsPlan.softmax(4, 2, 6, false)
            .withScoring(ExpertScoring.TOP_K_THEN_SOFTMAX).withLimit(7.0)).withMaxPositions(64).withTiedEmbeddings(tied);
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
