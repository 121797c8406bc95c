// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

/**
 * The first recorded result that comes out otherwise.
 *
 * @param record      sequence number of the record that holds it.
 * @param requestId   -1 if the whole step failed.
 * @param position    of the token in its request; -1 if the whole step failed.
 * @param layer       of the model; -1 unless experts or combine weights differ.
 * @param recorded    what the journal has.
 * @param recomputed  what the backend computed now.
 * @param rows        rows of the step that differ.
 * @param tokens      sampled tokens of the step that differ.
 */
public record StepDifference(
    long record, int rank, long step, long requestId, int position, Part part, int layer, String recorded,
    String recomputed, long rows, long tokens)
{
    /** The part of a step that differs. */
    public enum Part
    {
        /** The step was computed, and now fails. */
        STEP,
        /** Where an entry starts, or how many tokens it accepts. */
        ENTRY,
        /** Ids of experts, or their order. */
        EXPERTS,
        /** The same experts with other weights. */
        COMBINE_WEIGHTS,
        /** A sampled token. */
        TOKEN,
        /** The same token with another log-probability. */
        LOGPROB
    }
}
