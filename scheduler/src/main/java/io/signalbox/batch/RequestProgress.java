// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;

import java.util.Arrays;

/** The fields that each commit reads or writes of each request of its step, and seldom a plan: {@link RequestOutlook}. */
abstract class RequestProgress extends FlightLog
{
    int promptTokens;
    int maxNewTokens;
    /** Bounds of the stop tokens, inclusive; the highest is -1 without stop tokens. Few tokens are between them. */
    private int lowestStop;
    private int highestStop = -1;
    int generatedTokens;
    int computedHighWater;
    int blockCount;
    /** Below this position {@link SteadyDecode} commits entries of the request; 0: none. */
    int steadyCommitEnd;
    /** The weights of such entries. */
    int steadyWeights;

    private int[] stopTokens = {};
    private int stopTokenCount;

    final void clearStopTokens()
    {
        stopTokenCount = 0;
        lowestStop = 0;
        highestStop = -1;
    }

    /** Adds a stop token, which must be above all earlier stop tokens. */
    public final void addStopToken(final int token)
    {
        if (stopTokenCount == stopTokens.length)
        {
            stopTokens = Arrays.copyOf(stopTokens, Math.max(2, 2 * stopTokenCount));
        }
        lowestStop = stopTokenCount == 0 ? token : lowestStop;
        highestStop = token;
        stopTokens[stopTokenCount++] = token;
    }

    final boolean stopsAt(final int sampledToken)
    {
        return sampledToken >= lowestStop && sampledToken <= highestStop && isStopToken(sampledToken);
    }

    private boolean isStopToken(final int token)
    {
        for (int i = 0; i < stopTokenCount; i++)
        {
            if (stopTokens[i] == token)
            {
                return true;
            }
        }
        return false;
    }

    final long stopDigest()
    {
        long digest = -1;
        for (int i = 0; i < stopTokenCount; i++)
        {
            digest = StateDigest.mix(digest, stopTokens[i]);
        }
        return digest;
    }

    /** Something has changed that entries depend on: the next one is planned and committed in general terms. */
    final void unsettle()
    {
        steadyPlanEnd = 0;
        steadyCommitEnd = 0;
    }
}
