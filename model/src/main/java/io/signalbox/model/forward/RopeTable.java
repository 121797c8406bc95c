// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.AttentionPlan;
import io.signalbox.model.YarnScaling;

import java.util.Arrays;

/**
 * Cosines and sines of rotary position embedding. Frequencies {@code theta^(-2i/size)}, scaled by YaRN if the model has it,
 * and angles are float32, as trained models have them; powers, cosines and sines are computed in double by {@code
 * StrictMath} and rounded once. The factor of YaRN multiplies cosines and sines in float32. Grows with the positions asked
 * for, by one thread.
 */
public final class RopeTable
{
    private final float[] frequencies;
    private final float factor;
    private final Precision precision;
    private final int most;
    private float[] cosines = new float[0];
    private float[] sines = new float[0];
    private int positions;

    /** @param most positions that are ever asked for. */
    public RopeTable(final AttentionPlan plan, final int most, final Precision precision)
    {
        this.precision = precision;
        this.most = most;
        final int size = plan.rotarySize();
        final YarnScaling yarn = plan.yarn();
        final double[] scaled = yarn == null ? null : yarn.frequencyFactors(plan.ropeTheta(), size);
        factor = yarn == null ? 1.0f : (float)yarn.tableFactor();
        frequencies = new float[size / 2];
        for (int i = 0; i < frequencies.length; i++)
        {
            final double frequency = 1.0 / StrictMath.pow(plan.ropeTheta(), 2.0 * i / size);
            frequencies[i] = (float)(scaled == null ? frequency : frequency * scaled[i]);
        }
    }

    /** Makes the table reach all positions below {@code limit}. */
    public void reach(final int limit)
    {
        if (limit <= positions)
        {
            return;
        }
        final long doubled = Math.min(2L * positions, Integer.MAX_VALUE / frequencies.length);
        final int grown = (int)Math.max(limit, Math.min(doubled, most));
        cosines = Arrays.copyOf(cosines, Math.multiplyExact(grown, frequencies.length));
        sines = Arrays.copyOf(sines, cosines.length);
        for (int position = positions; position < grown; position++)
        {
            for (int i = 0; i < frequencies.length; i++)
            {
                final float angle = position * frequencies[i];
                cosines[position * frequencies.length + i] = precision.round((float)StrictMath.cos(angle) * factor);
                sines[position * frequencies.length + i] = precision.round((float)StrictMath.sin(angle) * factor);
            }
        }
        positions = grown;
    }

    /** Cosines {@code [position][size / 2]}, at least up to the positions that were asked for. */
    public float[] cosines()
    {
        return cosines;
    }

    /** Sines, as the cosines. */
    public float[] sines()
    {
        return sines;
    }

    /** Rotates a vector in place: element i with element {@code i + size / 2}. */
    void rotate(final float[] vector, final int at, final int position)
    {
        final int half = frequencies.length;
        for (int i = 0; i < half; i++)
        {
            final float cosine = cosines[position * half + i];
            final float sine = sines[position * half + i];
            final float x = vector[at + i];
            final float y = vector[at + half + i];
            vector[at + i] = precision.round(precision.round(x * cosine) + precision.round(-y * sine));
            vector[at + half + i] = precision.round(precision.round(y * cosine) + precision.round(x * sine));
        }
    }

    /** The same for pairs of neighbours, 2i and 2i + 1, with the result in the form of {@link #rotate}. */
    void rotatePairs(final float[] vector, final int at, final int position, final float[] scratch)
    {
        final int half = frequencies.length;
        for (int i = 0; i < half; i++)
        {
            scratch[i] = vector[at + 2 * i];
            scratch[half + i] = vector[at + 2 * i + 1];
        }
        System.arraycopy(scratch, 0, vector, at, 2 * half);
        rotate(vector, at, position);
    }
}
