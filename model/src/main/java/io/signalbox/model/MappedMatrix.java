// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/**
 * Weights in a mapped file. If the file has another type than the model, each weight is converted when it is read: to
 * float32 exactly, to bf16 by rounding to nearest, ties to even.
 */
final class MappedMatrix extends WeightMatrix
{
    private final MappedShard shard;
    private final WeightType stored;
    private final ByteBuffer bytes;

    /**
     * @param type   of the model.
     * @param stored of the file.
     * @param shard  of which the bytes are a part.
     */
    MappedMatrix(
        final String name, final int rows, final int columns, final WeightType type, final WeightType stored,
        final MappedShard shard, final ByteBuffer bytes, final LoadProgress progress)
    {
        super(name, rows, columns, type, progress);
        bytes(name, rows, columns, type);
        if (bytes(name, rows, columns, stored) != bytes.remaining())
        {
            throw new IllegalArgumentException(name + " [" + rows + ", " + columns + "] in " + bytes.remaining() + " bytes");
        }
        this.stored = stored;
        this.shard = shard;
        this.bytes = bytes.slice().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public float at(final int index)
    {
        if (stored == WeightType.BF16)
        {
            return WeightType.bf16(bytes.getShort(index * Short.BYTES));
        }
        final float weight = bytes.getFloat(index * Float.BYTES);
        return type() == WeightType.F32 ? weight : WeightType.bf16(WeightType.toBf16(weight));
    }

    @Override
    void copy(final float[] to, final int at)
    {
        shard.read(() -> widen(to, at));
    }

    private void widen(final float[] to, final int at)
    {
        if (type() == WeightType.F32 && stored == WeightType.F32)
        {
            file().asFloatBuffer().get(to, at, count());
            return;
        }
        for (int i = 0; i < count(); i++)
        {
            to[at + i] = at(i);
        }
    }

    @Override
    void copy(final short[] to, final int at)
    {
        shard.read(() ->
        {
            if (stored == WeightType.BF16)
            {
                file().asShortBuffer().get(to, at, count());
                return;
            }
            for (int i = 0; i < count(); i++)
            {
                to[at + i] = WeightType.toBf16(bytes.getFloat(i * Float.BYTES));
            }
        });
    }

    @Override
    public ByteBuffer bytes()
    {
        return stored == type() ? file() : allBytes();
    }

    private ByteBuffer file()
    {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public boolean isStored()
    {
        return true;
    }

    @Override
    void read(final Runnable reading)
    {
        shard.read(reading);
    }

    @Override
    void requireUnchanged()
    {
        shard.requireUnchanged();
    }

    @Override
    void addTo(final MessageDigest digest)
    {
        shard.read(() -> digest.update(bytes()));
    }

    /** These rows, without a copy. */
    MappedMatrix part(final int firstRow, final int count)
    {
        final int rowBytes = columns() * stored.bytes();
        return new MappedMatrix(
            name(), count, columns(), type(), stored, shard, bytes.slice(firstRow * rowBytes, count * rowBytes),
            progress());
    }
}
