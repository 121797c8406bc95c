// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** What a batch knows of a rank beside its requests, as of the plan point. */
public enum RankFigure
{
    /** Prompt tokens of the active requests, whatever was cached or is computed by now. */
    PROMPT_TOKENS,
    /** Prompt tokens of the active requests that were not cached when they were placed. */
    UNCACHED_TOKENS,
    /** Prompt tokens of the active requests that are still to be computed. */
    PENDING_PREFILL_TOKENS,
    /** Tokens whose KV the running requests hold. */
    CONTEXT_TOKENS,
    /** Tokens for which KV blocks can be allocated: free ones, and cached ones that can be evicted. */
    FREE_TOKENS,
    /** Tokens whose KV is cached and held by no request. */
    CACHED_TOKENS
}
