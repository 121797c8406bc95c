// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import org.agrona.DirectBuffer;

/**
 * The routed-expert rows of one step, {@code [token][MoE layer][k]} in the model's storage width, in memory of the
 * backend. The backend may reuse the memory only after {@link #release()}, which the engine calls once journal and
 * scheduler have both passed the event.
 *
 * <p>A row with an id that is no expert, or with an expert twice in a layer, counts as missing. A backend that has no row
 * for a token sets all bits of the row.
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
