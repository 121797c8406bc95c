// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.experts.ModelShape;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Ways in which a completion can be impossible. */
enum Corruption
{
    /** A row names an expert that the model does not have. */
    EXPERT_RANGE,
    /** A row names an expert twice in a layer. */
    EXPERT_REPEATED,
    /** A row has a combine weight that is not finite. */
    WEIGHT_NOT_FINITE,
    /** The slice says that it holds one row less than the step has tokens. */
    ROW_COUNT,
    /** The slice is shorter than the rows that it says to hold. */
    ROW_BYTES,
    /** A sampled token is negative. */
    TOKEN_NEGATIVE,
    /** A sampled token is above the vocabulary. */
    TOKEN_RANGE,
    /** A sampled token is absent. */
    TOKEN_COUNT,
    /** The step is one that the rank was never given. */
    WRONG_STEP,
    /** The rank is the next one; after the last rank, one that does not exist. */
    WRONG_RANK,
    /** The epoch is the next one. */
    WRONG_EPOCH;

    String label()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static List<String> labels()
    {
        return Arrays.stream(values()).map(Corruption::label).toList();
    }

    /**
     * Why no step of a run can be corrupted like this, as the end of a sentence; null if some can.
     *
     * @param capture null if capture is off.
     */
    String impossible(final ModelShape capture)
    {
        final boolean ofRows = ordinal() <= ROW_BYTES.ordinal();
        if (ofRows && capture == null)
        {
            return "needs captured rows, and capture is off";
        }
        if (this == WEIGHT_NOT_FINITE && !capture.combineWeights())
        {
            return "needs captured combine weights, and they are off";
        }
        if (this == EXPERT_RANGE && (capture.experts() == ModelShape.MAX_EXPERTS_PER_BYTE ||
            capture.experts() == ModelShape.MAX_EXPERTS_PER_SHORT))
        {
            return "needs ids that are no expert, and with " + capture.experts() + " experts every id is one";
        }
        return this == EXPERT_REPEATED && capture.topK() == 1
            ? "needs two experts in a layer, and each token has one" : null;
    }

    /** Whether a step can be corrupted like this that samples so many tokens, and has a row that counts among so many. */
    boolean applies(final int sampled, final int rows)
    {
        return switch (this)
        {
            case EXPERT_RANGE, EXPERT_REPEATED, WEIGHT_NOT_FINITE, ROW_COUNT, ROW_BYTES -> rows > 0;
            case TOKEN_NEGATIVE, TOKEN_RANGE, TOKEN_COUNT -> sampled > 0;
            default -> true;
        };
    }
}
