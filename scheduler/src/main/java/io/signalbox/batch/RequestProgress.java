// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * The fields of each running request that each step reads or writes. {@link FlightLog}, {@link Residency} and this class are
 * superclasses of {@link Request}, and not its parts, because their fields are then adjacent, and first in one object: a
 * step of a thousand requests misses the first-level cache for each line of each object of each request.
 */
abstract class RequestProgress extends Residency
{
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

    /** The request's stay in the batch of its rank, and its entries in flight. */
    final Residency stay()
    {
        return this;
    }

    /** Something has changed that entries depend on: the next one is planned and committed in general terms. */
    final void unsettle()
    {
        steadyPlanEnd = 0;
        steadyCommitEnd = 0;
    }
}
