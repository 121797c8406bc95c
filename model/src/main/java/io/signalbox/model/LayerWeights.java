// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

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
}
