// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;

/** Consecutive failed steps of one weight generation with tokens of a request, none of which was computed since. */
final class FailedTries
{
    private int count;
    private int computed;
    private int weights;

    void reset()
    {
        count = 0;
        computed = -1;
        weights = 0;
    }

    /**
     * A step has failed.
     *
     * @param computedTokens   tokens of the request that were computed at any time.
     * @param weightGeneration of the step.
     * @return the number of tries that have failed.
     */
    int count(final int computedTokens, final int weightGeneration)
    {
        count = computedTokens > computed || weightGeneration != weights ? 1 : count + 1;
        computed = computedTokens;
        weights = weightGeneration;
        return count;
    }

    long digest(final long before)
    {
        return count == 0 ? before : StateDigest.mix(before, count, (long)weights << 32 ^ computed);
    }
}
