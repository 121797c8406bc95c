// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.stream.Stream;

/**
 * Weights of a layer.
 *
 * @param inputNorm         [hidden], before attention.
 * @param postAttentionNorm [hidden], before MLP or experts.
 * @param dense             the MLP; {@code null} in an MoE layer.
 * @param moe               {@code null} in a dense layer.
 */
public record LayerWeights(
    float[] inputNorm, AttentionWeights attention, float[] postAttentionNorm, FeedForward dense, MoeWeights moe)
{
    LayerWeights inBf16()
    {
        return new LayerWeights(WeightType.inBf16(inputNorm), attention.inBf16(), WeightType.inBf16(postAttentionNorm),
            FeedForward.inBf16(dense), moe == null ? null : moe.inBf16());
    }

    /** The kind of the layer; its weights are too many to print. */
    @Override
    public String toString()
    {
        return moe == null ? "dense layer" : "MoE layer";
    }

    Stream<WeightMatrix> matrices()
    {
        return Stream.concat(attention.matrices(),
            Stream.concat(FeedForward.matrices(dense), moe == null ? Stream.of() : moe.matrices()));
    }
}
