// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/**
 * A matrix of weights, row-major: row r holds the weights with which output r sums its inputs. It is a view of a mapped
 * file, or a recipe that makes its weights from a seed; it uses no memory. Any number of threads may read it.
 */
public abstract sealed class WeightMatrix permits MappedMatrix, GeneratedMatrix, TransposedMatrix
{
    /** A buffer has no more. */
    static final long MAX_BYTES = Integer.MAX_VALUE - 8;

    private final String name;
    private final int rows;
    private final int columns;
    private final WeightType type;
    private final LoadProgress progress;

    WeightMatrix(
        final String name, final int rows, final int columns, final WeightType type, final LoadProgress progress)
    {
        this.progress = progress;
        this.name = name;
        this.rows = rows;
        this.columns = columns;
        this.type = type;
    }

    /** Bytes of a matrix; at most {@link #MAX_BYTES}. */
    static int bytes(final String name, final int rows, final int columns, final WeightType type)
    {
        final long bytes = (long)rows * columns * type.bytes();
        if (bytes > MAX_BYTES)
        {
            throw new ModelException("the tensor " + name + " [" + rows + ", " + columns + "] has " + bytes +
                " bytes, above " + MAX_BYTES, "use a model with smaller matrices, or a checkpoint in bfloat16");
        }
        return (int)bytes;
    }

    /** Name of its tensor. */
    public final String name()
    {
        return name;
    }

    /** Outputs. */
    public final int rows()
    {
        return rows;
    }

    /** Inputs. */
    public final int columns()
    {
        return columns;
    }

    public final WeightType type()
    {
        return type;
    }

    /** Weights; their bytes are at most {@code Integer.MAX_VALUE}. */
    public final int count()
    {
        return rows * columns;
    }

    /** The weight with this index, {@code row * columns + column}, exactly. */
    public abstract float at(int index);

    /** The weight of an input of an output, exactly. */
    float at(final int row, final int column)
    {
        return at(row * columns + column);
    }

    /** Copies all weights, widened exactly. */
    public final void copyTo(final float[] to)
    {
        copyTo(to, 0);
    }

    /** Copies all weights, widened exactly, to the elements from {@code at} on. */
    public final void copyTo(final float[] to, final int at)
    {
        copy(to, at);
        copied();
    }

    abstract void copy(float[] to, int at);

    /**
     * Copies all weights as their bits.
     *
     * @throws IllegalStateException unless the type is bf16.
     */
    public final void copyTo(final short[] to)
    {
        copyTo(to, 0);
    }

    /**
     * Copies all weights as their bits, to the elements from {@code at} on.
     *
     * @throws IllegalStateException unless the type is bf16.
     */
    public final void copyTo(final short[] to, final int at)
    {
        if (type != WeightType.BF16)
        {
            throw new IllegalStateException(name + " is " + type);
        }
        copy(to, at);
        copied();
    }

    abstract void copy(short[] to, int at);

    /** All its bytes, little-endian, read-only, direct, from position 0: the mapped ones, or newly made ones. */
    public ByteBuffer bytes()
    {
        final ByteBuffer bytes =
            ByteBuffer.allocateDirect(bytes(name, rows, columns, type)).order(ByteOrder.LITTLE_ENDIAN);
        putRows(0, rows, bytes);
        return bytes.flip().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Puts the bits of some rows, little-endian, at the position of a buffer. Call {@link #taken} after the last rows. */
    public abstract void putRows(int first, int count, ByteBuffer to);

    /** The weights as a file packs them, in fewer bits than {@link #type} has; {@code null} if they are not packed. */
    public PackedWeights packed()
    {
        return null;
    }

    /** Some columns as the rows of a matrix, as {@link FileWeights#packedColumns}. */
    PackedWeights packedColumns(final int first, final int step)
    {
        return null;
    }

    /** Whether a copy computes weights: they are generated, or stored in another form than {@link #type}. */
    public abstract boolean isComputed();

    /** The same weights as bf16, rounded to nearest, ties to even. */
    abstract WeightMatrix inBf16();

    /** {@code null} for {@code null}. */
    static WeightMatrix inBf16(final WeightMatrix matrix)
    {
        return matrix == null ? null : matrix.inBf16();
    }

    /** Bytes of all weights. */
    final long size()
    {
        return (long)count() * type.bytes();
    }

    /** The rule that makes the weights; {@code null}: they are stored. */
    public WeightRecipe recipe()
    {
        return null;
    }

    /** Reads weights one by one with {@link #at}; a file that changes meanwhile ends in a {@link ModelException}. */
    void read(final Runnable reading)
    {
        reading.run();
    }

    /**
     * Says that a backend has all weights without {@link #copyTo}: by {@link #putRows}, or by the {@link #recipe}.
     *
     * @throws ModelException if the file changed meanwhile: behind a new end within its last page there are zeros.
     */
    public final void taken()
    {
        requireUnchanged();
        copied();
    }

    /** Weights that no file has cannot change. */
    void requireUnchanged()
    {
    }

    private void copied()
    {
        progress.copied(size());
    }

    /** Feeds what the weights are: their bytes, or the recipe that makes them. */
    abstract void addTo(MessageDigest digest);

    final LoadProgress progress()
    {
        return progress;
    }
}
