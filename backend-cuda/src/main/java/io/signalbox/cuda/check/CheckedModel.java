// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;

import java.util.List;

/**
 * A model of the check, and the steps that are timed on it.
 *
 * @param batches ascending, tokens of the decode steps.
 * @param context positions of each sequence in them.
 * @param prefill tokens of the prefill step.
 */
record CheckedModel(String name, DecoderPlan shape, List<Integer> batches, int context, int prefill)
{
    /** With widths that the fast kernels take. */
    static final List<CheckedModel> SMALL = List.of(
        small("OLMoE, small", DecoderPlan.of(ModelFamily.OLMOE, WeightType.F32, 2, 40, 70,
            AttentionPlan.of(4, 4, 10, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH).withClip(1.5),
            ExpertsPlan.softmax(8, 3, 16, false))),
        small("Qwen3-MoE, small", DecoderPlan.of(ModelFamily.QWEN3_MOE, WeightType.F32, 3, 48, 70,
            AttentionPlan.of(6, 2, 36, 1_000_000.0).withQkNorm(QkNorm.PER_HEAD), ExpertsPlan.softmax(40, 4, 24, true))
            .withMoeLayers(List.of(1, 2), 56).withNormEpsilon(1e-6).withTiedEmbeddings(true)),
        small("Mixtral, small", DecoderPlan.of(ModelFamily.MIXTRAL, WeightType.F32, 2, 64, 70,
            AttentionPlan.of(4, 2, 16, 1_000_000.0), ExpertsPlan.softmax(8, 2, 40, true))));

    /**
     * One layer, whose products of hidden width have columns in all four segments of the fast kernels, and chunks enough
     * that each place in shared memory is filled again; and so many experts of a token that steps have every tiling of
     * theirs, too.
     */
    static final CheckedModel WIDE = small("wide layer", DecoderPlan.of(ModelFamily.MIXTRAL, WeightType.BF16, 1, 584, 200,
        AttentionPlan.of(2, 1, 100, 1_000_000.0), ExpertsPlan.softmax(8, 6, 264, true)));

    /** Models of which exact and fast kernels are compared. */
    static final List<CheckedModel> FAST = List.of(SMALL.get(0), SMALL.get(1), SMALL.get(2), WIDE);

    private static final int FULL_LAYERS = 16;

    private static CheckedModel small(final String name, final DecoderPlan shape)
    {
        return new CheckedModel(name, shape, List.of(1, 2, 4), 20, 24);
    }

    /** The shape of OLMoE-1B-7B with so many layers; 0: a small model in its place, for a processor. */
    static CheckedModel large(final int layers)
    {
        if (layers == 0)
        {
            return SMALL.get(0);
        }
        final String name = layers == FULL_LAYERS ? "OLMoE-1B-7B" : "OLMoE-1B-7B with " + layers + " layers";
        return new CheckedModel(name, DecoderPlan.of(ModelFamily.OLMOE, WeightType.BF16, layers, 2048, 50_304,
            AttentionPlan.of(16, 16, 128, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH), ExpertsPlan.softmax(64, 8, 1024, false)),
            List.of(1, 32, 256), 1024, 2048);
    }

    /** The shape with weights of a type. */
    DecoderPlan plan(final WeightType type)
    {
        return shape.withType(type);
    }

    /** Tokens of the steps with and without capture. */
    int formsBatch()
    {
        return batches.get(1);
    }
}
