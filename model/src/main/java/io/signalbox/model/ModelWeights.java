// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.List;
import java.util.stream.Stream;

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
    /** The same weights as bf16, rounded to nearest, ties to even; only the correction biases of routers stay float32. */
    public ModelWeights inBf16()
    {
        final WeightMatrix rounded = embedding.inBf16();
        return new ModelWeights(plan, rounded, layers.stream().map(LayerWeights::inBf16).toList(),
            WeightType.inBf16(finalNorm), plan.tiedEmbeddings() ? rounded : head.inBf16());
    }

    /** All matrices, each once. */
    public Stream<WeightMatrix> matrices()
    {
        return Stream.concat(Stream.of(embedding),
            Stream.concat(layers.stream().flatMap(LayerWeights::matrices),
                plan.tiedEmbeddings() ? Stream.of() : Stream.of(head)));
    }

    /** Bytes of all weights in memory: matrices in their types, vectors as float32. */
    public long bytes()
    {
        final long vectors = plan.parameters() - matrices().mapToLong(WeightMatrix::count).sum();
        return matrices().mapToLong(WeightMatrix::size).sum() + vectors * Float.BYTES;
    }

    /** The size of the weights; they themselves are too many to print. */
    @Override
    public String toString()
    {
        return "weights of " + plan + ", " + bytes() + " bytes";
    }
}
