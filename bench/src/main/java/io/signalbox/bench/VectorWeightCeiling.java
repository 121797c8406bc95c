// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** The same by the Vector API; loaded by name only if the JVM has the module. */
final class VectorWeightCeiling extends WeightCeiling
{
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_256;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;
    private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_128;
    private static final int L = 8;

    private static FloatVector load(final short[] w, final int at)
    {
        return ((IntVector)ShortVector.fromArray(SHORTS, w, at).convertShape(VectorOperators.S2I, INTS, 0))
            .lanewise(VectorOperators.LSHL, Short.SIZE).reinterpretAsFloats();
    }

    @Override
    float one(final short[] weights, final float[] vector)
    {
        FloatVector a = FloatVector.zero(FLOATS);
        FloatVector b = a;
        FloatVector c = a;
        FloatVector d = a;
        for (int i = 0; i < weights.length; i += 4 * L)
        {
            final int x = i & COLUMNS - 1;
            a = a.add(load(weights, i).mul(FloatVector.fromArray(FLOATS, vector, x)));
            b = b.add(load(weights, i + L).mul(FloatVector.fromArray(FLOATS, vector, x + L)));
            c = c.add(load(weights, i + 2 * L).mul(FloatVector.fromArray(FLOATS, vector, x + 2 * L)));
            d = d.add(load(weights, i + 3 * L).mul(FloatVector.fromArray(FLOATS, vector, x + 3 * L)));
        }
        return a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }

    @Override
    float two(final short[] weights, final float[] vectors)
    {
        FloatVector a = FloatVector.zero(FLOATS);
        FloatVector b = a;
        FloatVector c = a;
        FloatVector d = a;
        for (int i = 0; i < weights.length; i += 2 * L)
        {
            final int x = i & COLUMNS - 1;
            final FloatVector first = load(weights, i);
            a = a.add(first.mul(FloatVector.fromArray(FLOATS, vectors, x)));
            b = b.add(first.mul(FloatVector.fromArray(FLOATS, vectors, COLUMNS + x)));
            final FloatVector second = load(weights, i + L);
            c = c.add(second.mul(FloatVector.fromArray(FLOATS, vectors, x + L)));
            d = d.add(second.mul(FloatVector.fromArray(FLOATS, vectors, COLUMNS + x + L)));
        }
        return a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }
}
