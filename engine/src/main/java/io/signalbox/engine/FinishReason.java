// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.FreeReason;

/** Why a request ended. */
public enum FinishReason
{
    /** It has as many new tokens as it may have. */
    LENGTH,
    /** Its last token is a stop token. */
    STOP,
    /** Its client cancelled it. */
    CANCELLED,
    /** Its deadline has passed. */
    DEADLINE,
    /** Its steps failed too often, or no rank is left. */
    FAILED,
    /** The weights were replaced, and requests that had begun were to end. */
    NEW_WEIGHTS,
    /** It was not accepted: {@link Completion#refusal} says why. */
    REFUSED;

    static FinishReason of(final FreeReason recorded)
    {
        return switch (recorded)
        {
            case LENGTH -> LENGTH;
            case STOP -> STOP;
            case CANCELLED -> CANCELLED;
            case DEADLINE -> DEADLINE;
            case FAILED -> FAILED;
            case NEW_WEIGHTS -> NEW_WEIGHTS;
            case NULL_VAL -> throw new InvariantViolation("a request ended without a reason");
        };
    }
}
