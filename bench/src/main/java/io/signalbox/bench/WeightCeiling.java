// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

/**
 * The fastest that one thread multiplies bf16 weights with float32 vectors and adds up, in any order: the ceiling of a
 * forward pass on this machine. Plain loops, or the Vector API in a subclass.
 */
class WeightCeiling
{
    /** Elements of a vector; a power of two, so that two vectors stay in the first cache. */
    static final int COLUMNS = 2048;

    /** Multiplies all weights with one vector, over and over; the result keeps the loop alive. */
    float one(final short[] weights, final float[] vector)
    {
        float a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
        for (int i = 0; i < weights.length; i += 8)
        {
            final int x = i & COLUMNS - 1;
            a += widen(weights[i]) * vector[x];
            b += widen(weights[i + 1]) * vector[x + 1];
            c += widen(weights[i + 2]) * vector[x + 2];
            d += widen(weights[i + 3]) * vector[x + 3];
            e += widen(weights[i + 4]) * vector[x + 4];
            f += widen(weights[i + 5]) * vector[x + 5];
            g += widen(weights[i + 6]) * vector[x + 6];
            h += widen(weights[i + 7]) * vector[x + 7];
        }
        return a + b + c + d + e + f + g + h;
    }

    /** Multiplies all weights with two vectors, of which the second follows the first. */
    float two(final short[] weights, final float[] vectors)
    {
        float a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
        for (int i = 0; i < weights.length; i += 4)
        {
            final int x = i & COLUMNS - 1;
            final float w0 = widen(weights[i]);
            final float w1 = widen(weights[i + 1]);
            final float w2 = widen(weights[i + 2]);
            final float w3 = widen(weights[i + 3]);
            a += w0 * vectors[x];
            b += w1 * vectors[x + 1];
            c += w2 * vectors[x + 2];
            d += w3 * vectors[x + 3];
            e += w0 * vectors[COLUMNS + x];
            f += w1 * vectors[COLUMNS + x + 1];
            g += w2 * vectors[COLUMNS + x + 2];
            h += w3 * vectors[COLUMNS + x + 3];
        }
        return a + b + c + d + e + f + g + h;
    }

    private static float widen(final short bits)
    {
        return Float.intBitsToFloat(bits << Short.SIZE);
    }
}
