// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.util.Arrays;

/**
 * Softmax of a head's scores over the positions that a token sees: {@code e^(x - max)}, divided by the sum of these. The sum
 * has the order of {@link LaneSum} over positions of the sequence, so that a window has the bits of all positions with
 * weights of 0 outside it. A sink is added to it last.
 */
final class AttentionSoftmax
{
    private final Precision precision;
    private final float[] lanes;

    /** @param lanes scratch of {@link LaneSum#LANES}. */
    AttentionSoftmax(final Precision precision, final float[] lanes)
    {
        this.precision = precision;
        this.lanes = lanes;
    }

    /** @param scores by position, of which {@code first} to {@code end - 1} are seen; replaced by weights. */
    void apply(final float[] scores, final int first, final int end)
    {
        final float max = max(scores, first, end);
        for (int position = first; position < end; position++)
        {
            scores[position] = FloatMath.exp(scores[position] - max);
        }
        divide(scores, first, end, sum(scores, first, end));
    }

    /** The same with a sink, whose weight is dropped. Differences from the maximum are rounded, too. */
    void apply(final float[] scores, final int first, final int end, final float sink)
    {
        final float max = Math.max(max(scores, first, end), sink);
        for (int position = first; position < end; position++)
        {
            scores[position] = FloatMath.exp(precision.round(scores[position] - max));
        }
        divide(scores, first, end, sum(scores, first, end) + FloatMath.exp(precision.round(sink - max)));
    }

    private static float max(final float[] scores, final int first, final int end)
    {
        float max = scores[first];
        for (int position = first + 1; position < end; position++)
        {
            max = Math.max(max, scores[position]);
        }
        return max;
    }

    private float sum(final float[] weights, final int first, final int end)
    {
        final int whole = first / LaneSum.LANES * LaneSum.LANES;
        Arrays.fill(weights, whole, first, 0.0f);
        return LaneSum.of(weights, whole, end - whole, lanes);
    }

    private void divide(final float[] weights, final int first, final int end, final float sum)
    {
        for (int position = first; position < end; position++)
        {
            weights[position] = precision.round(weights[position] / sum);
        }
    }
}
