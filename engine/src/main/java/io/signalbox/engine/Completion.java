// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.request.TokenBuffer;
import io.signalbox.experts.WeightSpan;

import java.util.List;
import java.util.Optional;

/** How a request ended. Immutable. */
public final class Completion
{
    private final long requestId;
    private final FinishReason reason;
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
        reason = FinishReason.of(end.reason());
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
        reason = FinishReason.REFUSED;
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

    /** Why it ended; REFUSED if it was not accepted. */
    public FinishReason reason()
    {
        return reason;
    }

    /** Why it was not accepted; empty if it was. */
    public Optional<Refusal> refusal()
    {
        return Optional.ofNullable(refusal);
    }

    /** The step whose failure ended it; empty unless its reason is FAILED. */
    public Optional<StepFailure> failure()
    {
        return Optional.ofNullable(failure);
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

    /**
     * A step that failed: a backend reported it, its results were invalid, or they did not come in time.
     *
     * @param rank     that was given the step.
     * @param step     its number; later steps of the rank that were in flight are withdrawn with it.
     * @param sentence why it failed, as the backend or the check of its results says.
     */
    public record StepFailure(int rank, long step, String sentence)
    {
        /** If there is no sentence, for example in a journal without tokens, one that names the step. */
        static StepFailure of(final int rank, final long step, final String sentence)
        {
            return new StepFailure(rank, step, !sentence.isEmpty() ? sentence : step == 0 ? "every rank is lost" :
                "step " + step + " of rank " + rank + " failed");
        }
    }

    @Override
    public String toString()
    {
        return (requestId == CompletionHandle.NO_ID ? "the request" : "request " + requestId) + (refusal == null ?
            " ended by " + reason + " with " + tokenCount() + " tokens" +
                (failure == null ? "" : ": " + failure.sentence()) : " was refused: " + refusal.message());
    }
}
