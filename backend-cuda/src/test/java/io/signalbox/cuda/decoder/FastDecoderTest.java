// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.Precision;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A decoder with the fast kernels beside the same one with the exact kernels, on the emulated driver. */
class FastDecoderTest
{
    private static final int STEPS = 3;
    /** Four steps of bf16. */
    private static final double FARTHEST = 0x1p-6;
    /**
     * The share by which the weight of a token's k-th expert may differ. Another expert than the exact kernels' may thus be
     * chosen only if its score is that close to the score of theirs.
     */
    private static final double WIDEST_GAP = 0x1p-5;

    @BeforeEach
    void assumeDriver()
    {
        EmulatedDriver.assumeAvailable();
    }

    private static ModelWeights weights(final ModelFamily family)
    {
        final WeightType type = WeightType.BF16;
        return GeneratedModel.weights(switch (family)
        {
            case OLMOE -> DecoderPlan.of(family, type, 2, 40, 70, AttentionPlan.of(4, 4, 10, 10_000.0)
                .withQkNorm(QkNorm.FULL_WIDTH).withClip(1.5), ExpertsPlan.softmax(8, 3, 16, false));
            case QWEN3_MOE -> DecoderPlan.of(family, type, 3, 48, 70, AttentionPlan.of(6, 2, 36, 1_000_000.0)
                .withQkNorm(QkNorm.PER_HEAD), ExpertsPlan.softmax(40, 4, 24, true)).withMoeLayers(List.of(1, 2), 56)
                .withNormEpsilon(1e-6).withTiedEmbeddings(true);
            default -> DecoderPlan.of(family, type, 2, 64, 70, AttentionPlan.of(4, 2, 16, 1_000_000.0),
                ExpertsPlan.softmax(8, 2, 40, true));
        }, 11);
    }

    private static List<List<DecoderRig.Token>> steps(final ModelWeights weights)
    {
        final SplittableRandom random = new SplittableRandom(weights.plan().hidden());
        final int[] lengths = new int[DecoderStepTest.SEQUENCES];
        final List<List<DecoderRig.Token>> steps = new ArrayList<>();
        for (int step = 0; step < STEPS; step++)
        {
            steps.add(DecoderStepTest.step(random, lengths, weights.plan().vocabulary()));
        }
        return steps;
    }

    /** The distance of two vectors in relation to the length of the first. */
    private static double distance(final float[] exact, final float[] fast)
    {
        double square = 0;
        double difference = 0;
        for (int i = 0; i < exact.length; i++)
        {
            square += (double)exact[i] * exact[i];
            difference += (exact[i] - (double)fast[i]) * (exact[i] - (double)fast[i]);
        }
        return Math.sqrt(difference / square);
    }

    /** Of the weights of each layer's experts in descending order, so whichever experts they are. */
    private static double widestGap(final float[] exact, final float[] fast)
    {
        double widest = 0;
        for (int i = 0; i < exact.length; i++)
        {
            widest = Math.max(widest, Math.abs(exact[i] - (double)fast[i]) / exact[i]);
        }
        return widest;
    }

    @ParameterizedTest
    @EnumSource(value = ModelFamily.class, names = {"OLMOE", "QWEN3_MOE", "MIXTRAL"})
    void shouldComeNearTheExactKernels(final ModelFamily family)
    {
        final ModelWeights weights = weights(family);
        double farthest = 0;
        double gap = 0;
        try (DecoderRig exact = new DecoderRig(weights, Precision.BF16);
            DecoderRig fast = new DecoderRig(weights, Precision.BF16, KernelFamily.FAST))
        {
            for (final List<DecoderRig.Token> tokens : steps(weights))
            {
                exact.run(tokens, tokens.size());
                fast.run(tokens, DecoderRig.MAX_TOKENS);
                int entry = 0;
                for (int token = 0; token < tokens.size(); token++)
                {
                    gap = Math.max(gap, widestGap(exact.expertWeights(token), fast.expertWeights(token)));
                    if (tokens.get(token).sampled())
                    {
                        farthest = Math.max(farthest, distance(exact.logits(entry), fast.logits(entry)));
                        assertEquals(exact.result(entry + 1).sampledToken(entry),
                            fast.result(entry + 1).sampledToken(entry));
                        entry++;
                    }
                }
            }
        }
        assertTrue(farthest <= FARTHEST, family + ": logits differ by " + farthest);
        assertTrue(gap <= WIDEST_GAP, family + ": weights of experts differ by " + gap);
    }

    /** The tokens of a step are computed one at a time, with another tiling; the model has dense layers and experts. */
    @Test
    void shouldComputeATokenAloneAsWithOthers()
    {
        final ModelWeights weights = weights(ModelFamily.QWEN3_MOE);
        try (DecoderRig together = new DecoderRig(weights, Precision.BF16, KernelFamily.FAST);
            DecoderRig alone = new DecoderRig(weights, Precision.BF16, KernelFamily.FAST))
        {
            int compared = 0;
            for (final List<DecoderRig.Token> tokens : steps(weights))
            {
                together.run(tokens, DecoderRig.MAX_TOKENS);
                int entry = 0;
                for (int token = 0; token < tokens.size(); token++)
                {
                    alone.run(List.of(tokens.get(token)), 1);
                    assertArrayEquals(alone.experts(0), together.experts(token));
                    if (tokens.get(token).sampled())
                    {
                        assertArrayEquals(alone.logits(0), together.logits(entry++), 0.0f);
                        compared++;
                    }
                }
            }
            assertTrue(compared > 0);
        }
    }
}
