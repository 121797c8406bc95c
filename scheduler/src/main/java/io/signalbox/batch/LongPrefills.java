// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * Cuts the chunks of long prompts, so that short ones are not computed behind them. Of the requests with more than one chunk
 * left, a step computes a limited number.
 */
final class LongPrefills
{
    private final int mostTokens;
    private final int mostRequests;
    private int requests;

    /** @param mostTokens 0: no limit. */
    LongPrefills(final int mostTokens, final int mostRequests)
    {
        this.mostTokens = mostTokens == 0 ? Integer.MAX_VALUE : mostTokens;
        this.mostRequests = mostRequests;
    }

    /** Begins a plan. */
    void clear()
    {
        requests = 0;
    }

    /** Most tokens of a request in the step that has so many left; 0 if the step has no room for a further long one. */
    int most(final int tokensLeft)
    {
        return tokensLeft <= mostTokens ? tokensLeft : requests < mostRequests ? mostTokens : 0;
    }

    /** The step computes tokens of a request that had so many left. */
    void added(final int tokensLeft)
    {
        requests += tokensLeft > mostTokens ? 1 : 0;
    }
}
