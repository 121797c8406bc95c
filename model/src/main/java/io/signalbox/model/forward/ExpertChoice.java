// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;

import java.util.Arrays;

/**
 * The choice of a token's experts from its router logits, best first; of equal scores the lowest id. Sums run in the order
 * of {@link LaneSum}, that of the chosen weights by rank. Serves one thread.
 */
final class ExpertChoice
{
    /** Keeps the sum of chosen sigmoids from being 0. */
    private static final float LEAST_SUM = 1e-20f;

    private final ExpertsPlan plan;
    private final Precision precision;
    private final float[] bias;
    private final float[] scores;
    private final float[] keys;
    private final float[] lanes = new float[LaneSum.LANES];

    /** @param bias per expert, for the choice alone; {@code null}: none. */
    ExpertChoice(final ExpertsPlan plan, final float[] bias, final Precision precision)
    {
        this.plan = plan;
        this.bias = bias;
        this.precision = precision;
        scores = new float[plan.experts()];
        keys = new float[plan.experts()];
    }

    /** Chooses, and writes ids and weights of the chosen experts from {@code to} on. */
    void choose(final float[] logits, final int at, final int[] ids, final float[] weights, final int to)
    {
        score(logits, at);
        // Softmax keeps the order of logits, but for ties that its rounding adds.
        final boolean byLogit = plan.scoring() == ExpertScoring.SOFTMAX_THEN_TOP_K;
        System.arraycopy(byLogit ? logits : scores, byLogit ? at : 0, keys, 0, keys.length);
        if (bias != null)
        {
            for (int expert = 0; expert < keys.length; expert++)
            {
                keys[expert] += bias[expert];
            }
        }
        requireNumbers();
        if (plan.keptGroups() < plan.groups())
        {
            dropGroups();
        }
        for (int k = 0; k < plan.topK(); k++)
        {
            final int best = best(0, keys.length);
            ids[to + k] = best;
            weights[to + k] = scores[best];
            keys[best] = Float.NaN;
        }
        weigh(weights, to);
    }

    /** NaN means out of the choice from here on; a sum of two infinite keys would become one. */
    private void requireNumbers()
    {
        for (final float key : keys)
        {
            if (!Float.isFinite(key))
            {
                throw new NoNumberException("the scores of a router are no numbers");
            }
        }
    }

    private void score(final float[] logits, final int at)
    {
        if (plan.scoring() == ExpertScoring.SOFTMAX_THEN_TOP_K)
        {
            softmax(logits, at, scores, 0, scores.length, lanes);
            return;
        }
        for (int expert = 0; expert < scores.length; expert++)
        {
            scores[expert] = plan.scoring() == ExpertScoring.SIGMOID_GROUPS ? FloatMath.sigmoid(logits[at + expert]) :
                logits[at + expert];
        }
    }

    private void weigh(final float[] weights, final int to)
    {
        final int k = plan.topK();
        if (plan.scoring() == ExpertScoring.TOP_K_THEN_SOFTMAX)
        {
            softmax(weights, to, weights, to, k, lanes);
        }
        if (plan.renormalise())
        {
            float sum = weights[to];
            for (int i = 1; i < k; i++)
            {
                sum += weights[to + i];
            }
            final float divisor = plan.scoring() == ExpertScoring.SIGMOID_GROUPS ? sum + LEAST_SUM : sum;
            for (int i = 0; i < k; i++)
            {
                weights[to + i] /= divisor;
            }
        }
        for (int i = 0; i < k; i++)
        {
            final float scaled = plan.scale() == 1.0 ? weights[to + i] : weights[to + i] * (float)plan.scale();
            weights[to + i] = plan.roundsWeights() ? precision.round(scaled) : scaled;
        }
    }

    /** Only the best groups stay; a group counts the sum of its two best experts. NaN: out of the choice. */
    private void dropGroups()
    {
        final int size = plan.experts() / plan.groups();
        final float[] sums = new float[plan.groups()];
        for (int group = 0; group < sums.length; group++)
        {
            final int first = best(group * size, (group + 1) * size);
            final float most = keys[first];
            keys[first] = Float.NaN;
            sums[group] = most + keys[best(group * size, (group + 1) * size)];
            keys[first] = most;
        }
        for (int dropped = plan.groups() - plan.keptGroups(); dropped > 0; dropped--)
        {
            int worst = -1;
            for (int group = 0; group < sums.length; group++)
            {
                if (sums[group] == sums[group] && (worst < 0 || sums[group] <= sums[worst]))
                {
                    worst = group;
                }
            }
            sums[worst] = Float.NaN;
            Arrays.fill(keys, worst * size, (worst + 1) * size, Float.NaN);
        }
    }

    /** The first largest key that is not out. */
    private int best(final int from, final int to)
    {
        int best = -1;
        for (int i = from; i < to; i++)
        {
            if (keys[i] == keys[i] && (best < 0 || keys[i] > keys[best]))
            {
                best = i;
            }
        }
        if (best < 0)
        {
            throw new NoNumberException("router scores are no numbers");
        }
        return best;
    }

    /** Softmax of {@code count} values: {@code e^(x - max)}, divided by the sum of these. */
    static void softmax(
        final float[] in, final int at, final float[] out, final int to, final int count, final float[] lanes)
    {
        float max = in[at];
        for (int i = 1; i < count; i++)
        {
            max = Math.max(max, in[at + i]);
        }
        for (int i = 0; i < count; i++)
        {
            out[to + i] = FloatMath.exp(in[at + i] - max);
        }
        final float sum = LaneSum.of(out, to, count, lanes);
        for (int i = 0; i < count; i++)
        {
            out[to + i] /= sum;
        }
    }
}
