// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.List;

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
}
