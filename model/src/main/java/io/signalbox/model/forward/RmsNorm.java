// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/** RMSNorm: {@code w * (x * (1 / sqrt(mean(x^2) + eps)))}, the sum in the order of {@link LaneSum}. */
final class RmsNorm
{
    private RmsNorm()
    {
    }

    /** Normalises the first elements of {@code in}; {@code in} and {@code out} may be the same. */
    static void apply(
        final float[] in, final int x, final int count, final float[] weights, final float epsilon,
        final Precision precision, final float[] out, final int y, final float[] lanes)
    {
        apply(in, x, count, weights, epsilon, precision, precision, out, y, lanes);
    }

    /** @param inner the rounding before the weight is applied. */
    static void apply(
        final float[] in, final int x, final int count, final float[] weights, final float epsilon,
        final Precision inner, final Precision precision, final float[] out, final int y, final float[] lanes)
    {
        final float mean = LaneSum.ofSquares(in, x, count, lanes) / count;
        final float factor = FloatMath.reciprocalRoot(mean + epsilon);
        for (int i = 0; i < count; i++)
        {
            out[y + i] = precision.round(weights[i] * inner.round(in[x + i] * factor));
        }
    }
}
