// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

/**
 * Consecutive positions of a request that weights of one generation computed: their routed-expert rows, and the token that
 * was sampled behind each.
 *
 * @param from       first position that the weights computed
 * @param to         position after the last one
 * @param generation generation of weights; 0: the weights with which the run began; each later
 *                   {@code Control NEW_WEIGHTS} adds 1
 */
public record WeightSpan(int from, int to, int generation)
{
}
