// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import org.agrona.DirectBuffer;

/**
 * The record of requests beside their sizes and times: the Submit of each, the tokens that were sampled and the draft
 * tokens that were right. Read by several runs at a time; nothing changes.
 */
public interface RecordedRequests
{
    /** No token is recorded at a place. */
    int NO_TOKEN = -1;

    /** The encoded Submit of a request of the workload, from byte 0, SBE header included. */
    DirectBuffer submit(long requestId);

    /** Whether {@link #token} knows the sampled tokens; else they are those of the seeded model. */
    boolean hasTokens();

    /**
     * The token that was sampled.
     *
     * @param generated tokens that the request had generated before it.
     * @return {@link #NO_TOKEN} if the record ends before it.
     */
    int token(long requestId, int generated);

    /** Whether {@link #isRightDraft} knows which draft tokens were right. */
    boolean hasDrafts();

    /** Tokens of a request that are recorded; only if {@link #hasTokens}. */
    int tokenCount(long requestId);

    /** Whether the token with this index was accepted as a draft token; false past the end of the record. */
    boolean isRightDraft(long requestId, int generated);

    /** Whether requests have deadlines, which pass by themselves. */
    boolean hasDeadlines();

    /** Tokens of a block as the clients of the recorded run hashed them. */
    int blockSizeTokens();

    /** Time of the recorded run that is 0 in the workload, in nanoseconds. */
    long startNanos();
}
