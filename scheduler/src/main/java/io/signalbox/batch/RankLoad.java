// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.saved.SavedFields;

/** The load of one rank as routers read it: running sums over its active requests. */
public final class RankLoad
{
    private int activeRequests;
    private long promptTokens;
    private long uncachedTokens;
    private long pendingPrefillTokens;
    private long contextTokens;
    private int longPrefills;
    private long longPrefillTokens;
    private final int mostTokens;
    private final int mostRequests;

    /** @param rules limits of long requests. */
    public RankLoad(final BatchRules rules)
    {
        mostTokens = rules.longPrefillTokens() == 0 ? Integer.MAX_VALUE : rules.longPrefillTokens();
        mostRequests = rules.maxLongPrefills();
    }

    /** Requests that the router placed on the rank and that have not ended. */
    public int activeRequests()
    {
        return activeRequests;
    }

    /** Prompt tokens of the active requests. */
    public long promptTokens()
    {
        return promptTokens;
    }

    /** Prompt tokens of the active requests that were not cached when they were placed on the rank. */
    public long uncachedTokens()
    {
        return uncachedTokens;
    }

    /**
     * Prompt tokens of the active requests that are not computed yet. For a request that has not begun, these are the
     * tokens that were not cached when it was placed on the rank.
     */
    public long pendingPrefillTokens()
    {
        return pendingPrefillTokens;
    }

    /** Tokens of the running requests whose KV is in blocks. */
    public long contextTokens()
    {
        return contextTokens;
    }

    /** Active requests with more prompt tokens to compute than {@link BatchRules#longPrefillTokens()}. */
    public int longPrefills()
    {
        return longPrefills;
    }

    /**
     * Pending prefill tokens of the long requests, minus their tokens in the next step. These tokens do not
     * delay shorter requests.
     */
    public long deferredPrefillTokens()
    {
        return longPrefillTokens - (long)mostTokens * Math.min(longPrefills, mostRequests);
    }

    public void save(final SavedFields fields)
    {
        activeRequests = fields.int32(activeRequests);
        promptTokens = fields.number(promptTokens);
        uncachedTokens = fields.number(uncachedTokens);
        pendingPrefillTokens = fields.number(pendingPrefillTokens);
        contextTokens = fields.number(contextTokens);
        longPrefills = fields.int32(longPrefills);
        longPrefillTokens = fields.number(longPrefillTokens);
    }

    void add(final Request request)
    {
        count(request, 1);
    }

    void remove(final Request request)
    {
        count(request, -1);
    }

    private void count(final Request request, final int sign)
    {
        activeRequests += sign;
        promptTokens += sign * (long)request.promptTokens();
        uncachedTokens += sign * (long)Math.max(request.promptTokens() - request.cachedTokens, 0);
        countProgress(request, sign);
    }

    private void countProgress(final Request request, final int sign)
    {
        final int spared = request.computedTokens > 0 ? request.computedTokens : request.cachedTokens;
        final int left = Math.max(request.promptTokens() - spared, 0);
        pendingPrefillTokens += sign * (long)left;
        if (left > mostTokens)
        {
            longPrefills += sign;
            longPrefillTokens += sign * (long)left;
        }
        contextTokens += sign * (long)request.computedTokens;
    }

    /** Records that a step computed tokens of the request. */
    void computed(final Request request, final int tokens)
    {
        if (request.computedTokens >= request.promptTokens())
        {
            request.computed(tokens);
            contextTokens += tokens;
            return;
        }
        countProgress(request, -1);
        request.computed(tokens);
        countProgress(request, 1);
    }

    /** Records that the request begins to run; its matched tokens count as computed. */
    void start(final Request request, final int matchedTokens, final int certainTokens)
    {
        countProgress(request, -1);
        request.startAt(matchedTokens, certainTokens);
        countProgress(request, 1);
    }

    /** Records that the request loses its blocks. */
    void startOver(final Request request)
    {
        countProgress(request, -1);
        request.computedTokens = 0;
        countProgress(request, 1);
    }
}
