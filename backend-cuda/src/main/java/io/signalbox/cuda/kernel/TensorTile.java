// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

/** Tilings of the products on tensor cores: fast.cuh has the same figures. All give the same bits. */
enum TensorTile
{
    V8(8, 16, 16, 48, 40),
    V32(32, 16, 32, 72, 48),
    V64(64, 64, 32, 48, 48);

    static final int THREADS = 128;

    private final int vectors;
    private final int rows;
    private final int pairRows;
    private final int linearKib;
    private final int pairsKib;

    TensorTile(final int vectors, final int rows, final int pairRows, final int linearKib, final int pairsKib)
    {
        this.vectors = vectors;
        this.rows = rows;
        this.pairRows = pairRows;
        this.linearKib = linearKib;
        this.pairsKib = pairsKib;
    }

    /** The smallest tile for so many vectors, or the largest one. */
    static TensorTile of(final long vectors)
    {
        return vectors <= V8.vectors ? V8 : vectors <= V32.vectors ? V32 : V64;
    }

    /** The name of a kernel with this tiling. */
    String kernel(final String name)
    {
        return name + "v" + vectors;
    }

    int vectors()
    {
        return vectors;
    }

    /** Rows of a matrix that a block computes at a time. */
    int rows()
    {
        return rows;
    }

    /** The same of each of two matrices. */
    int pairRows()
    {
        return pairRows;
    }

    /** Shared memory of a block. */
    int linearBytes()
    {
        return linearKib << 10;
    }

    /** Shared memory of a block that multiplies with two matrices. */
    int pairsBytes()
    {
        return pairsKib << 10;
    }
}
