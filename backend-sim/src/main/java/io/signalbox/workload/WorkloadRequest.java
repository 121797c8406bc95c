// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

/**
 * One request of a workload. It arrives at a fixed time (open loop), or some think time after its predecessor has
 * completed (closed loop), or, with neither, some think time after a client has become free: when a request that arrived
 * without predecessor and all that directly or indirectly follow it have ended, the next one that waits for a client starts.
 *
 * @param requestId        1 for the first request of the workload, then rising by one; a recorded one may have gaps.
 * @param arrivalNanos     time since the start of the run; -1 if the request follows a predecessor or waits for a client.
 * @param predecessorId    the request that must complete first; -1: none.
 * @param thinkTimeNanos   from the end of the predecessor, or of what kept the client, to this request; else 0.
 * @param conversationId   -1: none.
 * @param promptTokens     at least 1.
 * @param outputTokens     tokens to generate; 0: prefill only.
 * @param cancelAfterNanos the client gives up, or ends the answer, this long after the request arrived; -1: never.
 * @param answerTokens     with so many tokens the client then ends the answer, if there are as many; -1: it gives up.
 */
public record WorkloadRequest(
    long requestId,
    long arrivalNanos,
    long predecessorId,
    long thinkTimeNanos,
    long conversationId,
    int promptTokens,
    int outputTokens,
    long cancelAfterNanos,
    int answerTokens)
{
    private static final int NONE = -1;

    /** A request at a fixed time, of no conversation. */
    public static WorkloadRequest arriving(
        final long requestId, final long nanos, final int promptTokens, final int outputTokens)
    {
        return new WorkloadRequest(requestId, nanos, NONE, 0, NONE, promptTokens, outputTokens, NONE, NONE);
    }

    /** A request after its predecessor, or, if that is -1, after a client has become free; of no conversation. */
    public static WorkloadRequest following(
        final long requestId, final long predecessorId, final long thinkTimeNanos, final int promptTokens,
        final int outputTokens)
    {
        return new WorkloadRequest(
            requestId, NONE, predecessorId, thinkTimeNanos, NONE, promptTokens, outputTokens, NONE, NONE);
    }

    public WorkloadRequest ofConversation(final long id)
    {
        return new WorkloadRequest(
            requestId, arrivalNanos, predecessorId, thinkTimeNanos, id, promptTokens, outputTokens, cancelAfterNanos,
            answerTokens);
    }

    /** The same request, arriving at another time. */
    public WorkloadRequest arrivingAt(final long nanos)
    {
        return new WorkloadRequest(requestId, nanos, predecessorId, thinkTimeNanos, conversationId, promptTokens,
            outputTokens, cancelAfterNanos,
            answerTokens);
    }

    /** The same request, given up after {@code nanos}. */
    public WorkloadRequest cancelledAfter(final long nanos)
    {
        return stoppedAfter(nanos, NONE);
    }

    /** The same request, whose answer its client ends after {@code nanos} with so many tokens. */
    public WorkloadRequest stoppedAfter(final long nanos, final int tokens)
    {
        return new WorkloadRequest(requestId, arrivalNanos, predecessorId, thinkTimeNanos, conversationId, promptTokens,
            outputTokens, nanos, tokens);
    }
}
