// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Each {@code with} changes its own part and keeps the other parts. */
class PlansTest
{
    private static final AttentionPlan ATTENTION = new AttentionPlan(6, 3, 4, 10_000.0, QkNorm.PER_HEAD, 1.5, null,
        new YarnScaling(4.0, 32, 32.0, 1.0, false, 1.1, 1.0), new AttentionWindow(5, List.of(0)), true, false);
    private static final ExpertsPlan EXPERTS =
        new ExpertsPlan(24, 3, 5, ExpertScoring.SIGMOID_GROUPS, true, false, 4, 2, 2.5, 1, 7.0);

    @Test
    void shouldMakeAttentionPartByPart()
    {
        assertEquals(ATTENTION, AttentionPlan.of(6, 3, 4, 10_000.0).withBiases(true).withSinks(false)
            .withWindow(ATTENTION.window()).withYarn(ATTENTION.yarn()).withClip(1.5).withQkNorm(QkNorm.PER_HEAD));
        final LatentAttention latent = new LatentAttention(0, 8, 2, 2, 4, true);
        assertEquals(latent, AttentionPlan.of(2, 2, 4, 10_000.0).withLatent(latent).withClip(1.0).latent());
        assertEquals(new AttentionPlan(6, 3, 4, 10_000.0, QkNorm.PER_HEAD, 1.5, null, ATTENTION.yarn(), ATTENTION.window(),
            false, true), ATTENTION.withBiases(false).withSinks(true));
    }

    @Test
    void shouldMakeExpertsPartByPart()
    {
        assertEquals(EXPERTS, ExpertsPlan.softmax(24, 3, 5, true).withLimit(7.0).withSharedExperts(1).withScale(2.5)
            .withGroups(4, 2).withRoundedWeights(false).withScoring(ExpertScoring.SIGMOID_GROUPS));
    }

    @Test
    void shouldMakeADecoderPartByPart()
    {
        final AttentionPlan attention = ATTENTION.withBiases(false);
        assertEquals(new DecoderPlan(ModelFamily.OLMOE, WeightType.BF16, 3, List.of(0, 2), 8, 17, 12, 64, 1e-6, true,
            attention, EXPERTS), DecoderPlan.of(ModelFamily.OLMOE, WeightType.F32, 3, 8, 16, ATTENTION, EXPERTS)
            .withAttention(attention).withTiedEmbeddings(true).withNormEpsilon(1e-6).withMaxPositions(64)
            .withVocabulary(17).withMoeLayers(List.of(0, 2), 12).withType(WeightType.BF16));
        assertEquals(List.of(0, 1, 2),
            DecoderPlan.of(ModelFamily.OLMOE, WeightType.F32, 3, 8, 16, ATTENTION, EXPERTS).moeLayers());
    }
}
