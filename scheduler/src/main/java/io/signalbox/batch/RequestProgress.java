// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * The fields that each step reads or writes of each running request. This class, {@link FlightLog} and {@link Residency} are
 * superclasses of {@link Request}, and not its parts, because their fields are then adjacent: a step of a thousand requests
 * misses the first-level cache for each line of each object of each request. This class is the first, and the fields that
 * few steps read come behind those of {@link FlightLog}.
 */
abstract class RequestProgress
{
    static final long NO_STAY = 0;
    static final long NO_STEP = Long.MIN_VALUE / 2;

    /** Of the stay in the batch; differs between any two. */
    long number = NO_STAY;
    /** Step and entry that sample the last token that is known or will be. */
    long sampledInStep = NO_STEP;
    int sampledInEntry;
    long id;
    int promptTokens;
    int maxNewTokens;
    int stopTokenId;
    int generatedTokens;
    int computedTokens;
    int computedHighWater;
    int blockCount;
    /** The last block of the table and its issue: mostly, a step computes tokens of this block alone. */
    int lastBlock;
    int lastIssue;
    /** Below these positions {@link SteadyDecode} plans and commits entries of the request; 0: none. */
    int steadyPlanEnd;
    int steadyCommitEnd;
    /** The weights of such entries. */
    int steadyWeights;
    /** Whether the values of generated tokens are kept. */
    boolean keepsTokens;

    /** Something has changed that entries depend on: the next one is planned and committed in general terms. */
    final void unsettle()
    {
        steadyPlanEnd = 0;
        steadyCommitEnd = 0;
    }
}
