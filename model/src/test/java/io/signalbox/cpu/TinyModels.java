// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.model.AttentionPlan;
import io.signalbox.model.AttentionWindow;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;
import io.signalbox.model.YarnScaling;
import io.signalbox.model.forward.ForwardModel;

import java.util.List;

/** Small models for tests. */
public final class TinyModels
{
    /** Positions that a token of a gpt-oss model sees in its first and last layer: more than a block of four. */
    private static final int WINDOW = 6;

    private TinyModels()
    {
    }

    /** The built-in shape with the weights of one seed. */
    public static ForwardModel generated()
    {
        return ForwardModel.of(generation(0));
    }

    /** The weights of a generation of a run whose weights are replaced; those of generation 0 are {@link #generated}. */
    public static ModelWeights generation(final int number)
    {
        return GeneratedModel.weights(GeneratedModel.tiny(), 7 + number);
    }

    /** A gpt-oss of about the same size; its limit is low enough to clamp. */
    public static ForwardModel gptOss()
    {
        final AttentionPlan attention = AttentionPlan.of(4, 2, 16, 150_000.0)
            .withYarn(new YarnScaling(8.0, 16, 32.0, 1.0, false, 1.2, 1.0))
            .withWindow(new AttentionWindow(WINDOW, List.of(0, 2))).withBiases(true).withSinks(true);
        final ExpertsPlan experts =
            ExpertsPlan.softmax(16, 4, 24, false).withScoring(ExpertScoring.TOP_K_THEN_SOFTMAX).withLimit(0.75);
        return ForwardModel.of(GeneratedModel.weights(DecoderPlan.of(ModelFamily.GPT_OSS, WeightType.F32, 3, 64, 512,
            attention, experts), 7));
    }
}
