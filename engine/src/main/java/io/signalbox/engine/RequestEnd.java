// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.experts.WeightSpan;

import java.util.List;

/**
 * How a request ended, as its {@code Free} says.
 *
 * @param tokens  of its answer.
 * @param failure {@code null} unless it failed.
 */
record RequestEnd(
    FreeReason reason, int tokens, int capturedRows, int inheritedRows, int missingRows, List<WeightSpan> weights,
    Completion.StepFailure failure)
{
    /** Reads the message to its end. */
    static RequestEnd of(final FreeDecoder free)
    {
        // In the order of the message.
        final List<WeightSpan> weights = FreeSpans.of(free);
        final String sentence = free.failure();
        return new RequestEnd(free.reason(), free.generatedTokens(), free.capturedRows(), free.inheritedRows(),
            free.missingRows(), weights, free.reason() == FreeReason.FAILED ?
                Completion.StepFailure.of(free.failedRank(), free.failedStep(), sentence) : null);
    }
}
