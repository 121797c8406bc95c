// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.List;
import java.util.stream.Stream;

/**
 * Weights of an MoE layer.
 *
 * @param router     [experts, hidden].
 * @param bias       per expert, added to its score for the choice; {@code null}: none.
 * @param routerBias per expert, added to its logit; {@code null}: none.
 * @param experts    by id.
 * @param shared     the shared experts as one; {@code null}: none.
 */
public record MoeWeights(
    WeightMatrix router, float[] bias, float[] routerBias, List<FeedForward> experts, FeedForward shared)
{
    /** The bias of the choice stays float32, as in transformers. */
    MoeWeights inBf16()
    {
        return new MoeWeights(router.inBf16(), bias, WeightType.inBf16(routerBias),
            experts.stream().map(FeedForward::inBf16).toList(), FeedForward.inBf16(shared));
    }

    Stream<WeightMatrix> matrices()
    {
        return Stream.concat(Stream.of(router),
            Stream.concat(experts.stream().flatMap(FeedForward::matrices), FeedForward.matrices(shared)));
    }
}
