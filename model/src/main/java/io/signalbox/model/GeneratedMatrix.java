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
        this(name, rows, columns, type, progress, CounterBits.key(seed, name, first), scale * CounterBits.UNIT);
    }

    private GeneratedMatrix(
        final String name, final int rows, final int columns, final WeightType type, final LoadProgress progress,
        final long key, final float unit)
    {
        super(name, rows, columns, type, progress);
        bytes(name, rows, columns, type);
        this.key = key;
        this.unit = unit;
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
    public void putRows(final int first, final int count, final ByteBuffer to)
    {
        for (int i = first * columns(); i < (first + count) * columns(); i++)
        {
            type().put(at(i), to);
        }
    }

    @Override
    public boolean isComputed()
    {
        return true;
    }

    @Override
    GeneratedMatrix inBf16()
    {
        return type() == WeightType.BF16 ? this :
            new GeneratedMatrix(name(), rows(), columns(), WeightType.BF16, progress(), key, unit);
    }

    @Override
    public WeightRecipe recipe()
    {
        return new WeightRecipe(key, unit);
    }

    @Override
    void addTo(final MessageDigest digest)
    {
        // The bits, because Java 19 and later print some numbers in another way than Java 17.
        digest.update((name() + " " + rows() + " " + columns() + " " + type() + " " + key + " " +
            Float.floatToIntBits(unit)).getBytes(StandardCharsets.UTF_8));
    }
}
