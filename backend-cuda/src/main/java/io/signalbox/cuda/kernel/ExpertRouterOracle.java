// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import java.util.Arrays;

/**
 * The expected answers of the router kernels, bit for bit, computed the slow and obvious way. It is what their results are
 * compared with, on the emulated driver and on a GPU. For one thread.
 */
public final class ExpertRouterOracle
{
    private static final int WARP_LANES = 32;
    /** Keeps the weights of a set defined whose sigmoids are all 0. */
    private static final float SMALLEST_SUM = 1e-20f;

    private final ExpertRouterSpec spec;
    private final float[] bias;
    private final float[] scores;
    private final boolean[] excluded;

    public ExpertRouterOracle(final ExpertRouterSpec spec)
    {
        this.spec = spec;
        bias = spec.bias();
        scores = new float[spec.experts()];
        excluded = new boolean[spec.experts()];
    }

    /**
     * Routes one token.
     *
     * @param logits  one for each expert; values of bf16 as the floats they stand for.
     * @param ids     receives the chosen experts in order of selection, {@code topK} of them.
     * @param weights receives their weights.
     */
    public void route(final float[] logits, final int[] ids, final float[] weights)
    {
        for (int expert = 0; expert < spec.experts(); expert++)
        {
            scores[expert] = score(logits[expert], expert);
        }
        Arrays.fill(excluded, false);
        if (spec.groups() > 1)
        {
            excludeGroups();
        }
        for (int k = 0; k < spec.topK(); k++)
        {
            ids[k] = best(scores, excluded);
            excluded[ids[k]] = true;
        }
        weigh(logits, ids, weights);
    }

    /**
     * The result of the opaque kernels: the weighted sum of the chosen experts' outputs.
     *
     * @param outputs {@code [experts][width]}.
     * @return {@code width} values.
     */
    public float[] mix(final float[] logits, final float[] outputs, final int width)
    {
        final int[] ids = new int[spec.topK()];
        final float[] weights = new float[spec.topK()];
        route(logits, ids, weights);
        final float[] mixed = new float[width];
        for (int column = 0; column < width; column++)
        {
            for (int k = 0; k < spec.topK(); k++)
            {
                mixed[column] = mixed[column] + weights[k] * outputs[ids[k] * width + column];
            }
        }
        return mixed;
    }

    private float score(final float logit, final int expert)
    {
        if (spec.mode() != ExpertRouterMode.SIGMOID_BIAS)
        {
            return ExpertRouterArithmetic.ordered(logit);
        }
        if (Float.isNaN(logit))
        {
            return Float.NEGATIVE_INFINITY;
        }
        final float sigmoid = ExpertRouterArithmetic.sigmoid(logit);
        return bias == null ? sigmoid : sigmoid + bias[expert];
    }

    private void excludeGroups()
    {
        final float[] groupScores = new float[spec.groups()];
        for (int group = 0; group < spec.groups(); group++)
        {
            groupScores[group] = groupScore(group * spec.groupSize());
        }
        final boolean[] kept = new boolean[spec.groups()];
        for (int i = 0; i < spec.topGroups(); i++)
        {
            kept[best(groupScores, kept)] = true;
        }
        for (int expert = 0; expert < spec.experts(); expert++)
        {
            excluded[expert] = !kept[expert / spec.groupSize()];
        }
    }

    /** The sum of the two best scores of a group, or its only one. */
    private float groupScore(final int firstExpert)
    {
        final float[] sorted = Arrays.copyOfRange(scores, firstExpert, firstExpert + spec.groupSize());
        Arrays.sort(sorted);
        final int last = sorted.length - 1;
        return last == 0 ? sorted[0] : sorted[last] + sorted[last - 1];
    }

    /** The index of the highest value that is not excluded; of equal ones the lowest. */
    private static int best(final float[] values, final boolean[] excluded)
    {
        int best = -1;
        for (int i = 0; i < values.length; i++)
        {
            if (!excluded[i] && (best < 0 || values[i] > values[best]))
            {
                best = i;
            }
        }
        return best;
    }

    private void weigh(final float[] logits, final int[] ids, final float[] weights)
    {
        switch (spec.mode())
        {
            case SOFTMAX_TOPK -> weighBySoftmax(ids, weights, true);
            case TOPK_SOFTMAX -> weighBySoftmax(ids, weights, false);
            case SIGMOID_BIAS -> weighBySigmoid(logits, ids, weights);
        }
        if (spec.renormalise())
        {
            final float sum = sumInOrder(weights);
            divide(weights, spec.mode() == ExpertRouterMode.SIGMOID_BIAS ? sum + SMALLEST_SUM : sum);
        }
        for (int k = 0; k < spec.topK(); k++)
        {
            weights[k] = weights[k] * spec.scale();
        }
    }

    private void weighBySoftmax(final int[] ids, final float[] weights, final boolean overAll)
    {
        // The first choice is the largest: these modes have no groups.
        final float maximum = scores[ids[0]];
        for (int k = 0; k < spec.topK(); k++)
        {
            weights[k] = ExpertRouterArithmetic.exponentialBelow(scores[ids[k]], maximum);
        }
        divide(weights, overAll ? softmaxTotal(maximum) :
            acrossLanes(Arrays.copyOf(Arrays.copyOf(weights, spec.topK()), WARP_LANES)));
    }

    private void weighBySigmoid(final float[] logits, final int[] ids, final float[] weights)
    {
        for (int k = 0; k < spec.topK(); k++)
        {
            weights[k] = ExpertRouterArithmetic.sigmoid(ExpertRouterArithmetic.ordered(logits[ids[k]]));
        }
    }

    /** In the order of a warp: each lane over its experts, then across lanes. */
    private float softmaxTotal(final float maximum)
    {
        final float[] sums = new float[WARP_LANES];
        for (int expert = 0; expert < spec.experts(); expert++)
        {
            final int lane = expert % WARP_LANES;
            sums[lane] = sums[lane] + ExpertRouterArithmetic.exponentialBelow(scores[expert], maximum);
        }
        return acrossLanes(sums);
    }

    /** Lanes pairwise at distances 16, 8, 4, 2, 1. */
    private static float acrossLanes(final float[] lanes)
    {
        float[] sums = lanes;
        for (int distance = WARP_LANES / 2; distance > 0; distance /= 2)
        {
            final float[] next = new float[WARP_LANES];
            for (int lane = 0; lane < WARP_LANES; lane++)
            {
                next[lane] = sums[lane] + sums[lane ^ distance];
            }
            sums = next;
        }
        return sums[0];
    }

    private float sumInOrder(final float[] weights)
    {
        float sum = 0.0f;
        for (int k = 0; k < spec.topK(); k++)
        {
            sum = sum + weights[k];
        }
        return sum;
    }

    private void divide(final float[] weights, final float divisor)
    {
        for (int k = 0; k < spec.topK(); k++)
        {
            weights[k] = weights[k] / divisor;
        }
    }
}
