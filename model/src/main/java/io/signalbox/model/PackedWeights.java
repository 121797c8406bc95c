// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;

/**
 * The weights of a matrix as a checkpoint packs them, for a backend that unpacks each weight when it multiplies with it.
 * Call {@link WeightMatrix#taken} after the last read.
 */
public interface PackedWeights
{
    PackedLayout layout();

    /**
     * Puts the codes of some rows at the position of a buffer.
     *
     * @throws ModelException if a weight is not finite.
     */
    void putCodes(int firstRow, int count, ByteBuffer to);

    /** Puts the scales of some rows of blocks, {@link PackedLayout#scaleBytes} for each row. */
    void putScales(int firstBlockRow, int count, ByteBuffer to);
}
