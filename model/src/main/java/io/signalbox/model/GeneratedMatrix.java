// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Weights that are made whenever they are read: {@link GeneratedModel} has the rule. */
final class GeneratedMatrix extends WeightMatrix
{
    private final long key;
    private final float unit;

    /**
     * @param scale a power of two.
     * @param first index of its first weight in the tensor.
     */
    GeneratedMatrix(
        final String name, final int rows, final int columns, final WeightType type, final long seed, final float scale,
        final long first, final LoadProgress progress)
    {
        super(name, rows, columns, type, progress);
        bytes(name, rows, columns, type);
        key = CounterBits.key(seed, name, first);
        unit = scale * CounterBits.UNIT;
    }

    @Override
    public float at(final int index)
    {
        final float weight = CounterBits.odd(key, index) * unit;
        return type() == WeightType.F32 ? weight : WeightType.bf16(WeightType.toBf16(weight));
    }

    @Override
    void copy(final float[] to, final int at)
    {
        for (int i = 0; i < count(); i++)
        {
            to[at + i] = at(i);
        }
    }

    @Override
    void copy(final short[] to, final int at)
    {
        for (int i = 0; i < count(); i++)
        {
            to[at + i] = WeightType.toBf16(CounterBits.odd(key, i) * unit);
        }
    }

    @Override
    public ByteBuffer bytes()
    {
        return allBytes();
    }

    @Override
    public boolean isStored()
    {
        return false;
    }

    @Override
    public WeightRecipe recipe()
    {
        return new WeightRecipe(key, unit);
    }

    @Override
    void addTo(final MessageDigest digest)
    {
        digest.update((name() + " " + rows() + " " + columns() + " " + type() + " " + key + " " + unit)
            .getBytes(StandardCharsets.UTF_8));
    }
}
