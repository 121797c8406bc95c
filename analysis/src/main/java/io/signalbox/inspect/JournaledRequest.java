// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

/**
 * A Submit of a journal as a request of a workload. Times are logical nanoseconds.
 *
 * @param predecessorId    the request that had to complete first; -1: none.
 * @param thinkTimeNanos   from the end of the predecessor to this request.
 * @param conversationId   -1: none.
 * @param outputTokens     most tokens to generate; those that were generated if the request stopped by itself.
 * @param cancelAfterNanos from the Submit to its cancellation or missed deadline; -1: neither.
 * @param tenant           the cache key as text; empty: none.
 * @param blockHashes      one per full block of the prompt.
 * @param answerHashes     one per block that decoding filled, first the block in which the prompt ends; 0: not recorded.
 */
public record JournaledRequest(
    long requestId,
    long submitNanos,
    long predecessorId,
    long thinkTimeNanos,
    long conversationId,
    int promptTokens,
    int outputTokens,
    long cancelAfterNanos,
    String tenant,
    long[] blockHashes,
    long[] answerHashes)
{
}
