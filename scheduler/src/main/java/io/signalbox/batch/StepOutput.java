// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import org.agrona.DirectBuffer;

/** The report of a backend on one step, one element per entry of its plan. */
public interface StepOutput
{
    /** Position of the first token that the entry fed. */
    int start(int entry);

    /** Tokens that the entry adds to its request; 0 if it samples none, or is void. */
    int accepted(int entry);

    /** The accepted tokens of all entries, in batch order. */
    int token(int index);

    /** Whether {@link #logprobBits} has a value for each accepted token. */
    boolean hasLogprobs();

    /** Log-probability of an accepted token, as the bits of a float. */
    int logprobBits(int index);

    /** Routed-expert rows, one per token of the plan, or null if capture is off. */
    DirectBuffer rows();

    int rowsOffset();

    /** Rows that were refused and are marked as missing. */
    int impossibleCount();

    /** Index of such a row in the step; ascending. */
    int impossibleRow(int index);
}
