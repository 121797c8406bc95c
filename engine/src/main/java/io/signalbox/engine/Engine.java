// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.ring.InputBounds;
import io.signalbox.experts.RequestRows;
import org.agrona.DirectBuffer;

/**
 * Sequences inputs and passes each through the scheduler, the journal, the backend and the clients. There are two kinds:
 * {@link SteppedEngine} works in the caller's thread, {@link ThreadedEngine} uses rings and threads. Both write the same
 * groups for the same order of inputs.
 */
public interface Engine extends AutoCloseable
{
    /** Largest input. A group is bounded, and holds its input and all outputs of the input. */
    int MAX_INPUT_BYTES = InputBounds.MAX_INPUT_BYTES;

    /**
     * Sequences one encoded input; waits for room if the ring is full. If it throws, nothing was sequenced.
     *
     * @param rows the rows of a {@code D2hComplete} whose form is CHUNKED, else null. The engine releases them, also
     *             when it refuses the input.
     * @throws IllegalArgumentException when the input is larger than {@link #MAX_INPUT_BYTES} or has no header.
     * @throws IllegalStateException    when the engine has failed or is closed; the message names the cause.
     */
    void offer(DirectBuffer input, int offset, int length, CaptureSlice rows);

    /**
     * Returns once every input offered so far, with all its outputs, has passed journal, dispatch and clients.
     *
     * @throws IllegalStateException if the engine has failed or is closed, or if a thread of the engine calls: it would
     *                               wait for itself.
     */
    void awaitProcessed();

    /**
     * When a {@code Tick} is due if nothing else happens: no armed deadline, and no end of the rest of a rank whose steps
     * failed, is earlier. An engine that wakes itself offers that Tick; else the caller does. To be called while the engine
     * is quiet.
     *
     * @return logical nanoseconds; {@link Long#MAX_VALUE} if no Tick is needed.
     */
    long nextTickNanos();

    /**
     * The rows of a request that has ended and that asked for them, else null. Call it after the listener received the
     * request's {@code Free}. The caller must then offer {@code Control RELEASE_ROWS}; the rows stay until it does. If
     * untaken rows exceed {@link EngineConfig#maxUntakenRowsBytes}, the engine discards the oldest.
     */
    RequestRows rows(long requestId);

    /** Undoes {@link #rows}: the caller no longer reads them, and they may be discarded again. */
    void rowsNotTaken(long requestId);

    /**
     * Brings a rank back: the backend resets it, then its steps in flight are withdrawn and it takes part again. Other ranks
     * are not disturbed. Lost ranks are reset automatically, up to {@link EngineConfig#rankResets} times in a row.
     *
     * @throws IllegalArgumentException if the rank does not exist, or the backend does not declare that it resets ranks.
     * @throws IllegalStateException    when the engine has failed or is closed.
     */
    void resetRank(int rank);

    /** Whether the current thread is one of the engine's, which must not wait for the engine. */
    default boolean isOwnThread()
    {
        return false;
    }

    /** Explains why untaken rows of ended requests may be gone: the bound, and the number of discarded requests so far. */
    String describeDiscards();

    /**
     * Stops within a bounded time; a second call does nothing. Inputs offered before are processed and journaled, but no
     * further step goes to the backend. Later inputs are refused with {@link IllegalStateException}. This includes
     * completions that the backend reports to its {@link io.signalbox.backend.CompletionSink}: their steps have no result
     * in the journal, as after a crash. The backend is closed once the engine is quiet, and the journal last. Each is
     * closed even if an earlier part failed or did not return within {@link EngineConfig#closeTimeout}; the first
     * failure is then thrown. Must not be called by the backend, the journal or the listener.
     *
     * @throws IllegalStateException if a part does not stop in time; the message names the part and the bound.
     */
    @Override
    void close();
}
