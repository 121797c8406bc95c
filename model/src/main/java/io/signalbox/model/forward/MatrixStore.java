// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

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

    private final WeightType type;
    /** Copies of matrices that any thread can make. */
    private final List<Runnable> copies = new ArrayList<>();
    private long left;
    private float[] floats = new float[0];
    private short[] halves = new short[0];
    private int used;

    /** @param elements of all matrices that come, at least; those of another type have arrays for themselves. */
    MatrixStore(final WeightType type, final long elements)
    {
        this.type = type;
        left = elements;
    }

    /** A linear layer on the heap, with its weights after {@link #copy}; {@code null} stays {@code null}. */
    Matrix of(final WeightMatrix weights)
    {
        return of(weights, null);
    }

    /** @param bias one value per row; {@code null}: none. */
    Matrix of(final WeightMatrix weights, final float[] bias)
    {
        if (weights == null)
        {
            return null;
        }
        final int count = weights.count();
        final boolean shares = weights.type() == type && count <= LARGEST;
        if (shares && used + count > Math.max(floats.length, halves.length))
        {
            allocate((int)Math.max(count, Math.min(left, SHARED)));
            used = 0;
        }
        left -= count;
        final int at = shares ? used : 0;
        used += shares ? count : 0;
        if (weights.type() == WeightType.F32)
        {
            final float[] to = shares ? floats : new float[count];
            add(weights, () -> weights.copyTo(to, at));
            return new Matrix(weights.rows(), weights.columns(), at, to, null, bias);
        }
        final short[] to = shares ? halves : new short[count];
        add(weights, () -> weights.copyTo(to, at));
        return new Matrix(weights.rows(), weights.columns(), at, null, to, bias);
    }

    /** A generated matrix costs arithmetic, which cores share. A file is read from front to back by one thread. */
    private void add(final WeightMatrix weights, final Runnable copy)
    {
        if (weights.isStored())
        {
            copy.run();
        }
        else
        {
            copies.add(copy);
        }
    }

    /** Makes the weights of the generated matrices, with as many threads as there are cores. */
    void copy()
    {
        final int threads = Math.max(1, Math.min(Runtime.getRuntime().availableProcessors(), copies.size()));
        try (WorkTeam team = new WorkTeam(threads, "signalbox-weights"))
        {
            team.run(copies.size(), (index, worker) -> copies.get(index).run());
        }
        copies.clear();
    }

    private void allocate(final int elements)
    {
        if (type == WeightType.F32)
        {
            floats = new float[elements];
        }
        else
        {
            halves = new short[elements];
        }
    }
}
