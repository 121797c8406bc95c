// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import org.agrona.DirectBuffer;

/**
 * The routed-expert rows of one step in memory of the backend. A row has {@link io.signalbox.experts.ModelShape#rowBytes}
 * bytes: logical expert ids as {@code [MoE layer][k]} in the model's storage width, and, if the shape that the backend was
 * started with has combine weights, the weights of the same experts in the same order as little-endian float32. The backend
 * may reuse the memory only after {@link #release()}, which the engine calls once journal and scheduler have both passed the
 * event.
 *
 * <p>A row with an id that is no expert, with an expert twice in a layer, or with a combine weight that is not finite counts
 * as missing. A backend that has no row for a token sets all bits of the row.
 */
public interface CaptureSlice
{
    /** {@link #checksum()} of a backend that takes none. */
    long NO_CHECKSUM = -1;

    DirectBuffer buffer();

    int offset();

    /** One row per token of the step, in batch order. */
    int rowCount();

    int rowBytes();

    /**
     * CRC32C over all rows, combine weights included, taken when they were captured, or {@link #NO_CHECKSUM}. If the engine
     * finds another one, the step fails: the memory was overwritten in between.
     */
    default long checksum()
    {
        return NO_CHECKSUM;
    }

    /** Whether {@link #isValid} says anything; a backend whose rows are all there need not be asked for each. */
    default boolean declaresRows()
    {
        return false;
    }

    /** Whether the backend has the row; if not, the row is missing whatever its ids and weights are. */
    default boolean isValid(final int row)
    {
        return true;
    }

    void release();
}
