// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Figures of a rank at the plan point, beside its number of requests. */
public enum RankFigure
{
    /** Prompt tokens of the active requests, cached and computed ones included. */
    PROMPT_TOKENS,
    /** Prompt tokens of the active requests that were not cached when they were placed. */
    UNCACHED_TOKENS,
    /** Prompt tokens of the active requests that are not computed yet. */
    PENDING_PREFILL_TOKENS,
    /** Tokens of the running requests whose KV is in blocks. */
    CONTEXT_TOKENS,
    /** Tokens for which KV blocks can be allocated: free ones, and cached ones that can be evicted. */
    FREE_TOKENS,
    /** Tokens whose KV is cached and used by no request. */
    CACHED_TOKENS,
    /** Tokens that all KV blocks of the rank hold together. */
    POOL_TOKENS,
    /** Active requests that have more prompt tokens to compute than a long request may compute in one step. */
    LONG_PREFILLS,
    /** The pending prefill tokens of long requests, minus their tokens in the next step. */
    DEFERRED_PREFILL_TOKENS
}
