// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/** How the scores of experts come from router logits. Equal scores go to the lowest expert id. */
public enum ExpertScoring
{
    /** Softmax over all experts, then the top k; their probabilities are the weights. */
    SOFTMAX_THEN_TOP_K,
    /** The top k logits, then softmax over these. */
    TOP_K_THEN_SOFTMAX,
    /**
     * Sigmoid. The choice is by score plus bias: the score of a group is the sum of its two best, experts of groups that are
     * not kept are out, then the top k. The weights are the scores without bias.
     */
    SIGMOID_GROUPS
}
