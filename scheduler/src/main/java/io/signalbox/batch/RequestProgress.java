// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** The fields that each commit reads or writes of each request of its step, and seldom a plan: {@link RequestOutlook}. */
abstract class RequestProgress extends FlightLog
{
    int promptTokens;
    int maxNewTokens;
    /** Bounds of the stop tokens, inclusive; the highest is -1 if there is none. */
    int lowestStop;
    int highestStop;
    int generatedTokens;
    int computedHighWater;
    int blockCount;
    /** Below this position {@link SteadyDecode} commits entries of the request; 0: none. */
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
