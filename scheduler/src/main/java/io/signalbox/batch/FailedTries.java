// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;

/**
 * Consecutive failed steps of one weight generation with tokens of a request, none of which was computed since. A request
 * whose steps failed twice is a <em>suspect</em>: it may be the reason. At most one suspect of a rank runs at a time, so
 * that the others make progress without it, and a request that fails every step does not use up the tries of others.
 */
final class FailedTries
{
    private static final int SUSPECT = 2;

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

    /** Whether the request may be the reason for which steps fail. */
    boolean isSuspect(final int computedTokens)
    {
        return count >= SUSPECT && computedTokens <= computed;
    }

    /** Whether a request may be admitted beside those that run: not as a second suspect. */
    static boolean allow(final Request request, final RequestQueue running)
    {
        if (!request.isSuspect())
        {
            return true;
        }
        for (int i = 0; i < running.size(); i++)
        {
            if (running.get(i).isSuspect())
            {
                return false;
            }
        }
        return true;
    }

    long digest(final long before)
    {
        return count == 0 ? before : StateDigest.mix(before, count, (long)weights << 32 ^ computed);
    }
}
