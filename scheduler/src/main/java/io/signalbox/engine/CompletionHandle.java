// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusalReason;
import org.agrona.collections.IntArrayList;

import java.util.concurrent.CompletableFuture;

/** A client's view of one request: the tokens that became visible so far, and how it ended. Thread-safe. */
public final class CompletionHandle
{
    /**
     * How a request ended.
     *
     * @param reason  why it ended, or null when it was refused.
     * @param refusal why it was refused, or null.
     */
    public record Ended(
        FreeReason reason, RefusalReason refusal, int[] tokens, int capturedRows, int inheritedRows, int missingRows)
    {
    }

    private final long requestId;
    private final int rowsFrom;
    private final IntArrayList tokens = new IntArrayList();
    private final CompletableFuture<Ended> ended = new CompletableFuture<>();

    CompletionHandle(final long requestId, final int rowsFrom)
    {
        this.requestId = requestId;
        this.rowsFrom = rowsFrom;
    }

    int rowsFrom()
    {
        return rowsFrom;
    }

    public long requestId()
    {
        return requestId;
    }

    /** Completes when the request has ended or was refused; fails with the engine. */
    public CompletableFuture<Ended> ended()
    {
        return ended;
    }

    /** The tokens that are visible now. */
    public int[] tokens()
    {
        synchronized (tokens)
        {
            return tokens.toIntArray();
        }
    }

    void emitted(final int tokenId)
    {
        synchronized (tokens)
        {
            tokens.addInt(tokenId);
        }
    }

    void refused(final RefusalReason reason)
    {
        ended.complete(new Ended(null, reason, new int[0], 0, 0, 0));
    }

    void freed(final FreeReason reason, final int captured, final int inherited, final int missing)
    {
        ended.complete(new Ended(reason, null, tokens(), captured, inherited, missing));
    }

    void failed(final Throwable cause)
    {
        ended.completeExceptionally(cause);
    }
}
