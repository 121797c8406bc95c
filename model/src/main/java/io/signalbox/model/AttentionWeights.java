// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.Objects;
import java.util.stream.Stream;

/**
 * Weights of attention.
 *
 * @param query     [heads * head size, hidden]; {@code null} if queries are compressed.
 * @param key       [kv heads * head size, hidden]; {@code null} with latent attention.
 * @param value     [kv heads * head size, hidden]; {@code null} with latent attention.
 * @param output    [hidden, heads * value size].
 * @param queryNorm of the full width or of a head, as {@link AttentionPlan#qkNorm} says; {@code null}: none.
 * @param keyNorm   the same for keys.
 * @param latent    {@code null}: heads are projected directly.
 * @param biases    of the four projections; {@code null}: none.
 * @param sinks     [heads], a logit of each head that joins its softmax; {@code null}: none.
 */
public record AttentionWeights(
    WeightMatrix query, WeightMatrix key, WeightMatrix value, WeightMatrix output, float[] queryNorm, float[] keyNorm,
    LatentWeights latent, Biases biases, float[] sinks)
{
    /** One value per row of the projection. */
    public record Biases(float[] query, float[] key, float[] value, float[] output)
    {
        private Biases inBf16()
        {
            return new Biases(WeightType.inBf16(query), WeightType.inBf16(key), WeightType.inBf16(value),
                WeightType.inBf16(output));
        }
    }

    /** The four projections alone. */
    static AttentionWeights of(
        final WeightMatrix query, final WeightMatrix key, final WeightMatrix value, final WeightMatrix output)
    {
        return new AttentionWeights(query, key, value, output, null, null, null, null, null);
    }

    AttentionWeights withNorms(final float[] ofQuery, final float[] ofKey)
    {
        return new AttentionWeights(query, key, value, output, ofQuery, ofKey, latent, biases, sinks);
    }

    AttentionWeights withLatent(final LatentWeights weights)
    {
        return new AttentionWeights(query, key, value, output, queryNorm, keyNorm, weights, biases, sinks);
    }

    AttentionWeights withBiases(final Biases values)
    {
        return new AttentionWeights(query, key, value, output, queryNorm, keyNorm, latent, values, sinks);
    }

    AttentionWeights withSinks(final float[] values)
    {
        return new AttentionWeights(query, key, value, output, queryNorm, keyNorm, latent, biases, values);
    }

    AttentionWeights inBf16()
    {
        return of(WeightMatrix.inBf16(query), WeightMatrix.inBf16(key), WeightMatrix.inBf16(value), output.inBf16())
            .withNorms(WeightType.inBf16(queryNorm), WeightType.inBf16(keyNorm))
            .withLatent(latent == null ? null : latent.inBf16()).withBiases(biases == null ? null : biases.inBf16())
            .withSinks(WeightType.inBf16(sinks));
    }

    Stream<WeightMatrix> matrices()
    {
        return Stream.concat(Stream.of(query, key, value, output).filter(Objects::nonNull),
            latent == null ? Stream.of() : latent.matrices());
    }
}
