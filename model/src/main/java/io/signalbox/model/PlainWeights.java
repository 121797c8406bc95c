// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Weights that a file holds one by one. */
final class PlainWeights extends FileWeights
{
    private final FloatFormat format;
    private final MappedShard shard;
    private final ByteBuffer bytes;

    /**
     * @param shard the shard that contains the bytes.
     * @param bytes of the weights, from position 0.
     */
    PlainWeights(final int columns, final FloatFormat format, final MappedShard shard, final ByteBuffer bytes)
    {
        super(columns);
        this.format = format;
        this.shard = shard;
        this.bytes = bytes.slice().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    float at(final int row, final int column)
    {
        return format.read(bytes, row * columns() + column);
    }

    @Override
    ByteBuffer bytes(final WeightType type)
    {
        return format.name().equals(type.name()) ? bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN) : null;
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
    FileWeights rows(final int first, final int count)
    {
        final int rowBytes = columns() * format.bytes();
        return new PlainWeights(columns(), format, shard, bytes.slice(first * rowBytes, count * rowBytes));
    }
}
