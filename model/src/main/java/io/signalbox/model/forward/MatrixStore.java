// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightMatrix;
import io.signalbox.model.WeightType;

import java.util.ArrayList;
import java.util.List;

/**
 * Copies weights to the heap, where vectors of the JVM read them quickest on every version, several matrices into one array.
 * A collector gives a large array whole regions: with one array for each, experts of 4 MiB cost up to twice their size.
 */
final class MatrixStore
{
    /** Elements of an array that matrices share, unless fewer are left. */
    private static final int SHARED = 1 << 27;
    /** A larger matrix has an array for itself. */
    private static final int LARGEST = SHARED / 16;

    /** The array that the next matrices of one type share. */
    private static final class Place
    {
        private long left;
        private int length;
        private int used;

        /** @param left elements of the later matrices that share arrays. */
        private Place(final long left)
        {
            this.left = left;
        }

        /** Whether the next matrix needs a new array, of {@link #length}. */
        private boolean isFull(final int count)
        {
            final boolean full = used + count > length;
            if (full)
            {
                length = (int)Math.max(count, Math.min(left, SHARED));
                used = 0;
            }
            return full;
        }

        /** Returns the index of the matrix's first weight. */
        private int take(final int count)
        {
            left -= count;
            used += count;
            return used - count;
        }
    }

    private final Place inFloats;
    private final Place inHalves;
    /** Copies of matrices that any thread can make. */
    private final List<Runnable> copies = new ArrayList<>();
    private float[] floats;
    private short[] halves;

    /** @param weights the number of weights of all later matrices. */
    MatrixStore(final ModelWeights weights)
    {
        inFloats = new Place(shared(weights, WeightType.F32));
        inHalves = new Place(shared(weights, WeightType.BF16));
    }

    private static long shared(final ModelWeights weights, final WeightType type)
    {
        return weights.matrices().filter(matrix -> matrix.type() == type && matrix.count() <= LARGEST)
            .mapToLong(WeightMatrix::count).sum();
    }

    /** A linear layer on the heap, with its weights after {@link #copy}; {@code null} stays {@code null}. */
    Matrix of(final WeightMatrix weights)
    {
        return of(weights, null);
    }

    /** @param bias one value per row; {@code null}: none. */
    Matrix of(final WeightMatrix weights, final float[] bias)
    {
        return weights == null ? null : weights.type() == WeightType.F32 ? floats(weights, bias) : halves(weights, bias);
    }

    private Matrix floats(final WeightMatrix weights, final float[] bias)
    {
        final int count = weights.count();
        if (count > LARGEST)
        {
            final float[] own = new float[count];
            add(weights, () -> weights.copyTo(own));
            return new Matrix(weights.rows(), weights.columns(), 0, own, null, bias);
        }
        if (inFloats.isFull(count))
        {
            floats = new float[inFloats.length];
        }
        final float[] to = floats;
        final int at = inFloats.take(count);
        add(weights, () -> weights.copyTo(to, at));
        return new Matrix(weights.rows(), weights.columns(), at, to, null, bias);
    }

    private Matrix halves(final WeightMatrix weights, final float[] bias)
    {
        final int count = weights.count();
        if (count > LARGEST)
        {
            final short[] own = new short[count];
            add(weights, () -> weights.copyTo(own));
            return new Matrix(weights.rows(), weights.columns(), 0, null, own, bias);
        }
        if (inHalves.isFull(count))
        {
            halves = new short[inHalves.length];
        }
        final short[] to = halves;
        final int at = inHalves.take(count);
        add(weights, () -> weights.copyTo(to, at));
        return new Matrix(weights.rows(), weights.columns(), at, null, to, bias);
    }

    /** Computed matrices wait for {@link #copy}. One thread reads the other matrices in the order of the file. */
    private void add(final WeightMatrix weights, final Runnable copy)
    {
        if (weights.isComputed())
        {
            copies.add(copy);
        }
        else
        {
            copy.run();
        }
    }

    /** Copies the computed matrices on all cores. */
    void copy()
    {
        final int threads = Math.max(1, Math.min(Runtime.getRuntime().availableProcessors(), copies.size()));
        try (WorkTeam team = new WorkTeam(threads, "signalbox-weights"))
        {
            team.run(copies.size(), (index, worker) -> copies.get(index).run());
        }
        copies.clear();
    }
}
