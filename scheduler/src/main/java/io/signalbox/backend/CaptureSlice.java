// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import org.agrona.DirectBuffer;

/**
 * The routed-expert rows of one step, {@code [token][MoE layer][k]} in the model's storage width, in memory of the
 * backend. The backend may reuse the memory only after {@link #release()}, which the engine calls once journal and
 * scheduler have both passed the event.
 */
public interface CaptureSlice
{
    DirectBuffer buffer();

    int offset();

    /** One row per token of the step, in batch order. */
    int rowCount();

    int rowBytes();

    void release();
}
