// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/**
 * A step that failed: a backend reported it, its results were invalid, or they did not come in time.
 *
 * @param rank     that was given the step.
 * @param step     its number; later steps of the rank that were in flight are withdrawn with it.
 * @param sentence why it failed, as the backend or the check of its results says.
 */
public record StepFailure(int rank, long step, String sentence)
{
    /** If there is no sentence, for example in a journal without tokens, one that names the step. */
    static StepFailure of(final int rank, final long step, final String sentence)
    {
        return new StepFailure(rank, step, !sentence.isEmpty() ? sentence : step == 0 ? "every rank is lost" :
            "step " + step + " of rank " + rank + " failed");
    }
}
