// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import org.agrona.DirectBuffer;

/**
 * The routed-expert rows of one step, {@code [token][MoE layer][k]} in the model's storage width, in memory of the
 * backend. The backend may reuse the memory only after {@link #release()}, which the engine calls once journal and
 * scheduler have both passed the event.
 *
 * <p>A row with an id that is no expert, or with an expert twice in a layer, is missing and counted as such. A backend
 * that has no row for a token says so by setting all its bits.
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
