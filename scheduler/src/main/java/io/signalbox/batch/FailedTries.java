// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;

/**
 * Failed steps of one weight generation with tokens of a request, none of which was computed since. Such a request is a
 * <em>suspect</em>: it may be the reason. Suspects share no step with other requests, and each failed step halves the number
 * that may share the next one. So the request that is the reason comes to fail alone, and only that counts as a try of it:
 * no request ends for the sake of another.
 */
final class FailedTries
{
    static final int ANY_NUMBER = Integer.MAX_VALUE;

    private int alone;
    private int together;
    private int computed;
    private int weights;

    void reset()
    {
        alone = 0;
        together = ANY_NUMBER;
        computed = -1;
        weights = 0;
    }

    /**
     * A step has failed.
     *
     * @param entries          requests in the step.
     * @param computedTokens   tokens of the request that were computed at any time.
     * @param weightGeneration of the step.
     * @return the number of tries that have failed: steps in which the request was alone.
     */
    int count(final int entries, final int computedTokens, final int weightGeneration)
    {
        computed(weightGeneration == weights ? computedTokens : Integer.MAX_VALUE);
        alone += entries == 1 ? 1 : 0;
        together = Math.max(1, Math.min(together, entries) / 2);
        computed = computedTokens;
        weights = weightGeneration;
        return alone;
    }

    /** Forgets them if the request has got further than it was. */
    void computed(final int computedTokens)
    {
        if (computedTokens > computed)
        {
            reset();
        }
    }

    /** Most requests in a step with this one; {@link #ANY_NUMBER} if it is no suspect. */
    int mostTogether()
    {
        return together;
    }

    void save(final SavedFields fields)
    {
        alone = fields.int32(alone);
        together = fields.int32(together);
        computed = fields.int32(computed);
        weights = fields.int32(weights);
    }

    long digest(final long before)
    {
        return together == ANY_NUMBER ? before :
            StateDigest.mix(before, (long)together << 32 ^ alone, (long)weights << 32 ^ computed);
    }
}
