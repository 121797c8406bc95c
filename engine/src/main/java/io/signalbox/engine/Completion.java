// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.request.TokenBuffer;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.experts.WeightSpan;

import java.util.List;

/** How a request ended. Immutable. */
public final class Completion
{
    private final long requestId;
    private final FreeReason reason;
    private final Refusal refusal;
    private final TokenBuffer tokens;
    private final int capturedRows;
    private final int inheritedRows;
    private final int missingRows;
    private final StepFailure failure;
    private final List<WeightSpan> weights;

    Completion(final long requestId, final TokenBuffer tokens, final RequestEnd end)
    {
        this.requestId = requestId;
        this.tokens = tokens;
        reason = end.reason();
        refusal = null;
        capturedRows = end.capturedRows();
        inheritedRows = end.inheritedRows();
        missingRows = end.missingRows();
        failure = end.failure();
        weights = end.weights();
    }

    Completion(final long requestId, final Refusal refusal)
    {
        this.requestId = requestId;
        this.refusal = refusal;
        tokens = TokenBuffer.EMPTY;
        reason = null;
        capturedRows = 0;
        inheritedRows = 0;
        missingRows = 0;
        failure = null;
        weights = List.of();
    }

    /** As {@link CompletionHandle#requestId}. */
    public long requestId()
    {
        return requestId;
    }

    /** Why it ended; {@code null} if it was refused. */
    public FreeReason reason()
    {
        return reason;
    }

    /** Why it was not accepted; {@code null} if it was. */
    public Refusal refusal()
    {
        return refusal;
    }

    /** The step whose failure ended it; {@code null} unless its reason is FAILED. */
    public StepFailure failure()
    {
        return failure;
    }

    public boolean isRefused()
    {
        return refusal != null;
    }

    public int tokenCount()
    {
        return tokens.count();
    }

    /** @throws IndexOutOfBoundsException if the request has no such token. */
    public int token(final int index)
    {
        return tokens.token(index);
    }

    /** A copy of all tokens. */
    public int[] tokens()
    {
        return tokens.copy();
    }

    /** Rows of routed experts that were computed for this request. */
    public int capturedRows()
    {
        return capturedRows;
    }

    /** Rows that came with a shared block from the request that computed it. */
    public int inheritedRows()
    {
        return inheritedRows;
    }

    /** Rows that nobody has. */
    public int missingRows()
    {
        return missingRows;
    }

    /** Rows of routed experts that the request has, there or not. */
    int rows()
    {
        return capturedRows + inheritedRows + missingRows;
    }

    /**
     * Which weights computed which positions, in ascending order. The token at a position was sampled by those of the
     * position before it.
     */
    public List<WeightSpan> weights()
    {
        return weights;
    }

    @Override
    public String toString()
    {
        return (requestId == CompletionHandle.NO_ID ? "the request" : "request " + requestId) + (refusal == null ?
            " ended by " + reason + " with " + tokenCount() + " tokens" +
                (failure == null ? "" : ": " + failure.sentence()) : " was refused: " + refusal.message());
    }
}
