// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.List;

/**
 * Weights of any shape from a seed. Each weight is a function of the seed, the name of its tensor and its index, without any
 * state, so that any number of threads, or a kernel, makes the same bits:
 *
 * <pre>
 * key(tensor)  = mix(seed ^ fnv1a64(name in UTF-8))
 * bits(index)  = mix(key + (index + 1) * 0x9E3779B97F4A7C15)        mix: the finaliser of SplitMix64; all modulo 2^64
 * odd(index)   = 2 * (bits >>> 40) + 1 - 2^24                       an odd number between -2^24 and 2^24
 * weight       = odd * scale * 2^-24                                scale: a power of two, so the product is exact
 * norm weight  = 1 + odd * 2^-26                                    rounded once
 * </pre>
 *
 * A weight of type bf16 is rounded to the nearest, ties to even. The scale of a matrix with n inputs is the largest power
 * of two whose square is at most 3 / n, which keeps the variance of a sum of n terms between 1/4 and 1; four times that for
 * expert routers and output head, 1 for the embedding, 1/16 for biases and attention sinks.
 */
public final class GeneratedModel
{
    /** The shape of {@link #tiny}. */
    private static final int TINY_EXPERTS = 16;
    private static final int TINY_TOP_K = 4;

    private GeneratedModel()
    {
    }

    /** The weights. A matrix makes its weights when they are read. */
    public static ModelWeights weights(final DecoderPlan plan, final long seed)
    {
        return weights(plan, seed, LoadProgress.NONE);
    }

    /** @param progress receives which weights a backend has copied. */
    public static ModelWeights weights(final DecoderPlan plan, final long seed, final LoadProgress progress)
    {
        return new ModelAssembly(plan, new GeneratedTensors(plan.type(), seed, progress)).weights();
    }

    /** The built-in model: 4 layers, of which 3 are MoE with 4 of 16 experts, 0.5 million weights. */
    public static DecoderPlan tiny()
    {
        final AttentionPlan attention = AttentionPlan.of(4, 2, 16, 10_000.0).withQkNorm(QkNorm.PER_HEAD);
        return DecoderPlan.of(ModelFamily.QWEN3_MOE, WeightType.F32, 4, 64, 512, attention,
            ExpertsPlan.softmax(TINY_EXPERTS, TINY_TOP_K, 24, true)).withMoeLayers(List.of(1, 2, 3), 128)
            .withNormEpsilon(1e-6);
    }
}
