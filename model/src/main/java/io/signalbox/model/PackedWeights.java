// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;

/**
 * The weights of a matrix as a checkpoint packs them, for a backend that unpacks each weight when it multiplies with it:
 * E4M3 codes of a byte. A weight is the product of its code's value and the scale of its block, both as float32, rounded
 * once; if the type of the matrix is bf16, it is then rounded to bf16. Call {@link WeightMatrix#taken} after the last read.
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

    /** Puts the scales of some rows of blocks as float32, each row of {@link PackedLayout#blocksAcross}. */
    void putScales(int firstBlockRow, int count, ByteBuffer to);
}
