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

/** Matrices that share an array have their own weights, all of them. */
class MatrixStoreTest
{
    /** The embedding is too large for a shared array, the rest is not. */
    private static ModelWeights weights(final WeightType type)
    {
        return GeneratedModel.weights(new DecoderPlan(ModelFamily.OLMOE, type, 1, List.of(0), 64, 131_100, 0, 4096, 1e-5,
            true, new AttentionPlan(4, 4, 16, 10_000.0, QkNorm.FULL_WIDTH, 0.0, null),
            ExpertsPlan.softmax(8, 2, 48, false)), 3);
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
