// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/** Weights in a mapped file. */
final class MappedMatrix extends WeightMatrix
{
    private final MappedShard shard;
    private final ByteBuffer bytes;

    /** @param shard of which the bytes are a part. */
    MappedMatrix(
        final String name, final int rows, final int columns, final WeightType type, final MappedShard shard,
        final ByteBuffer bytes, final LoadProgress progress)
    {
        super(name, rows, columns, type, progress);
        if (bytes(name, rows, columns, type) != bytes.remaining())
        {
            throw new IllegalArgumentException(name + " [" + rows + ", " + columns + "] in " + bytes.remaining() + " bytes");
        }
        this.shard = shard;
        this.bytes = bytes.slice().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public float at(final int index)
    {
        return type() == WeightType.F32 ? bytes.getFloat(index * Float.BYTES) :
            WeightType.bf16(bytes.getShort(index * Short.BYTES));
    }

    @Override
    void copy(final float[] to, final int at)
    {
        shard.read(() -> widen(to, at));
    }

    private void widen(final float[] to, final int at)
    {
        if (type() == WeightType.F32)
        {
            bytes().asFloatBuffer().get(to, at, count());
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
        shard.read(() -> bytes().asShortBuffer().get(to, at, count()));
    }

    @Override
    public ByteBuffer bytes()
    {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
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
        final int rowBytes = columns() * type().bytes();
        return new MappedMatrix(
            name(), count, columns(), type(), shard, bytes.slice(firstRow * rowBytes, count * rowBytes), progress());
    }
}
