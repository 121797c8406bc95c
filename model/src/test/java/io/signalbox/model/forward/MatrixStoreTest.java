// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightMatrix;
import io.signalbox.model.WeightType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Matrices that share an array have their own weights, all of them, and their biases. */
class MatrixStoreTest
{
    /** The embedding is too large for a shared array, the rest is not. */
    private static ModelWeights weights(final WeightType type)
    {
        return GeneratedModel.weights(DecoderPlan.of(ModelFamily.OLMOE, type, 1, 64, 131_100,
            AttentionPlan.of(4, 4, 16, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH), ExpertsPlan.softmax(8, 2, 48, false))
            .withTiedEmbeddings(true), 3);
    }

    /** The rows of several tasks, each with its own bias; arithmetic of bf16 rounds the sum once. */
    @ParameterizedTest
    @EnumSource(Precision.class)
    void shouldAddTheBiasOfEachRow(final Precision precision)
    {
        final ModelWeights model = GeneratedModel.weights(GeneratedModel.tiny(), 3);
        final WeightMatrix source = model.embedding();
        final float[] bias = new float[source.rows()];
        final float[] vectors = new float[2 * source.columns()];
        for (int row = 0; row < bias.length; row++)
        {
            bias[row] = row / 7.0f;
        }
        for (int i = 0; i < vectors.length; i++)
        {
            vectors[i] = i / 100.0f;
        }
        final MatrixStore store = new MatrixStore(model);
        final Matrix plain = store.of(source);
        final Matrix biased = store.of(source, bias);
        store.copy();
        assertTrue(biased.tasks() > 1);
        final float[] products = new float[2 * bias.length];
        final float[] sums = new float[2 * bias.length];
        try (WorkTeam team = new WorkTeam(1, "bias"))
        {
            new LinearStages(team, precision).run(plain, vectors, 2, products, Precision.F32);
            new LinearStages(team, precision).run(biased, vectors, 2, sums);
        }
        for (int i = 0; i < sums.length; i++)
        {
            assertEquals(precision.round(products[i] + bias[i % bias.length]), sums[i], "sum " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(WeightType.class)
    void shouldKeepEveryWeightOfEveryMatrix(final WeightType type)
    {
        final ModelWeights model = weights(type);
        final List<WeightMatrix> sources = new ArrayList<>(List.of(model.embedding()));
        model.layers().get(0).moe().experts().forEach(expert -> sources.addAll(
            List.of(expert.gate(), expert.up(), expert.down())));
        final MatrixStore store = new MatrixStore(model);
        final List<Matrix> made = sources.stream().map(store::of).toList();
        store.copy();

        for (int i = 0; i < made.size(); i++)
        {
            final WeightMatrix source = sources.get(i);
            final float[] row = new float[source.columns()];
            for (int r = 0; r < source.rows(); r += i == 0 ? 997 : 1)
            {
                made.get(i).copyRow(r, row, 0);
                for (int c = 0; c < row.length; c++)
                {
                    assertEquals(source.at(r * row.length + c), row[c], source.name() + " " + r + " " + c);
                }
            }
        }
    }
}
