// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.Objects;
import java.util.stream.Stream;

/**
 * Weights of {@link LatentAttention}.
 *
 * @param queryDown    [query rank, hidden]; {@code null} if queries are not compressed.
 * @param queryNorm    [query rank]; {@code null} if queries are not compressed.
 * @param queryUp      [heads * head size, query rank]; {@code null} if queries are not compressed.
 * @param keyValueDown [key-value rank + rotary size, hidden]; the last rows are the shared rotary part of the key.
 * @param keyValueNorm [key-value rank].
 * @param keyValueUp   [heads * (plain size + value size), key-value rank]: per head the plain part of the key, then the
 *                     value.
 */
public record LatentWeights(
    WeightMatrix queryDown, float[] queryNorm, WeightMatrix queryUp, WeightMatrix keyValueDown, float[] keyValueNorm,
    WeightMatrix keyValueUp)
{
    LatentWeights inBf16()
    {
        return new LatentWeights(WeightMatrix.inBf16(queryDown), WeightType.inBf16(queryNorm),
            WeightMatrix.inBf16(queryUp), keyValueDown.inBf16(), WeightType.inBf16(keyValueNorm), keyValueUp.inBf16());
    }

    Stream<WeightMatrix> matrices()
    {
        return Stream.of(queryDown, queryUp, keyValueDown, keyValueUp).filter(Objects::nonNull);
    }
}
