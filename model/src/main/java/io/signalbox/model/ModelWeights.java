// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.List;

/**
 * All weights of a model. Matrices use no memory; vectors are copies, widened to float32.
 *
 * @param embedding [vocabulary, hidden].
 * @param finalNorm [hidden].
 * @param head      [vocabulary, hidden]; the embedding itself if the embeddings are tied.
 */
public record ModelWeights(
    DecoderPlan plan, WeightMatrix embedding, List<LayerWeights> layers, float[] finalNorm, WeightMatrix head)
{
}
