// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.experts.RequestRows;
import org.agrona.DirectBuffer;

/**
 * Takes inputs in one order and carries each through the scheduler, the journal, the backend and the clients.
 * Two kinds give the same groups for the same order of inputs: {@link SteppedEngine}, which works in the caller's
 * thread, and {@link ThreadedEngine}, which puts the rings in between.
 */
public interface Engine extends AutoCloseable
{
    /**
     * Sequences one encoded input; waits for room where there is none.
     *
     * @param rows the rows of a {@code D2hComplete} whose form is CHUNKED, else null.
     * @throws IllegalStateException when the engine has failed or is closed; the message names the cause.
     */
    void offer(DirectBuffer input, int offset, int length, CaptureSlice rows);

    /** Returns once every input offered so far, and all it led to, has passed journal, dispatch and clients. */
    void awaitProcessed();

    /**
     * The rows of a request that has ended and that asked for them, until {@code Control RELEASE_ROWS} names it; else
     * null. To be called after its {@code Free} was seen by the listener.
     */
    RequestRows rows(long requestId);

    /** Stops within a bounded time; what was offered before is processed and journaled. */
    @Override
    void close();
}
