// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

/** The choice of experts as it is defined, by sorting; scores come from few values, so that many are equal. */
final class ChoiceByDefinition
{
    private final ExpertsPlan plan;
    private final float[] bias;
    private final float[] scores;
    private final float[] keys;

    private ChoiceByDefinition(final ExpertsPlan plan, final float[] bias, final float[] logits)
    {
        this.plan = plan;
        this.bias = bias;
        scores = scores(logits);
        keys = scores.clone();
        for (int expert = 0; bias != null && expert < keys.length; expert++)
        {
            keys[expert] += bias[expert];
        }
    }

    /** Throws an {@link AssertionError} if the choice for a random router is another one. */
    static void check(final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final ExpertsPlan plan = plan(random);
        final float[] bias = plan.hasChoiceBias() ? values(random, plan.experts()) : null;
        final float[] logits = values(random, plan.experts());
        final Precision precision = random.nextBoolean() ? Precision.F32 : Precision.BF16;
        final int[] ids = new int[plan.topK() + 2];
        final float[] weights = new float[plan.topK() + 2];
        new ExpertChoice(plan, bias, precision).choose(logits, 0, ids, weights, 1);

        final ChoiceByDefinition definition = new ChoiceByDefinition(plan, bias, logits);
        final int[] expectedIds = definition.ids();
        final int[] paddedIds = new int[ids.length];
        final float[] paddedWeights = new float[weights.length];
        System.arraycopy(expectedIds, 0, paddedIds, 1, expectedIds.length);
        System.arraycopy(definition.weights(expectedIds, precision), 0, paddedWeights, 1, expectedIds.length);
        final String what = "router of seed " + seed + ", " + plan;
        assertArrayEquals(paddedIds, ids, what);
        assertArrayEquals(paddedWeights, weights, what);
    }

    private static ExpertsPlan plan(final SplittableRandom random)
    {
        final ExpertScoring scoring = ExpertScoring.values()[random.nextInt(ExpertScoring.values().length)];
        final int groups = scoring == ExpertScoring.SIGMOID_GROUPS ? 1 + random.nextInt(4) : 1;
        final int size = 2 + random.nextInt(6);
        final int kept = 1 + random.nextInt(groups);
        return ExpertsPlan.softmax(groups * size, 1 + random.nextInt(kept * size), 4, random.nextBoolean())
            .withScoring(scoring).withRoundedWeights(random.nextBoolean()).withGroups(groups, kept)
            .withScale(random.nextBoolean() ? 1.0 : 2.5);
    }

    private static float[] values(final SplittableRandom random, final int count)
    {
        final float[] values = new float[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = random.nextInt(-4, 5) * 0.25f;
        }
        return values;
    }

    private float[] scores(final float[] logits)
    {
        final float[] made = new float[logits.length];
        switch (plan.scoring())
        {
            case SOFTMAX_THEN_TOP_K -> softmax(logits, made);
            case SIGMOID_GROUPS -> IntStream.range(0, made.length)
                .forEach(expert -> made[expert] = 1.0f / (1.0f + FloatMath.exp(-logits[expert])));
            default -> System.arraycopy(logits, 0, made, 0, made.length);
        }
        return made;
    }

    private static void softmax(final float[] from, final float[] to)
    {
        final float[] sorted = from.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < to.length; i++)
        {
            to[i] = FloatMath.exp(from[i] - sorted[sorted.length - 1]);
        }
        final float sum = LaneSum.of(to, 0, to.length, new float[LaneSum.LANES]);
        for (int i = 0; i < to.length; i++)
        {
            to[i] /= sum;
        }
    }

    private int[] ids()
    {
        final int size = plan.experts() / plan.groups();
        final List<Integer> groups = new ArrayList<>(IntStream.range(0, plan.groups()).boxed().toList());
        groups.sort(Comparator.comparingDouble(group -> -groupScore(group, size)));
        final List<Integer> kept = groups.subList(0, plan.keptGroups());
        return IntStream.range(0, plan.experts()).boxed().filter(expert -> kept.contains(expert / size))
            .sorted(Comparator.comparingDouble(expert -> -keys[expert])).limit(plan.topK()).mapToInt(id -> id).toArray();
    }

    private float groupScore(final int group, final int size)
    {
        final List<Float> members = new ArrayList<>();
        for (int expert = group * size; expert < (group + 1) * size; expert++)
        {
            members.add(keys[expert]);
        }
        members.sort(Comparator.reverseOrder());
        return members.get(0) + members.get(1);
    }

    /** Of the scores without the bias. */
    private float[] weights(final int[] ids, final Precision precision)
    {
        final float[] weights = new float[ids.length];
        for (int k = 0; k < ids.length; k++)
        {
            weights[k] = scores[ids[k]];
        }
        if (plan.scoring() == ExpertScoring.TOP_K_THEN_SOFTMAX)
        {
            softmax(weights.clone(), weights);
        }
        float sum = 0.0f;
        for (final float weight : weights)
        {
            sum += weight;
        }
        for (int k = 0; k < ids.length; k++)
        {
            final float divided = plan.renormalise() ? weights[k] / (bias == null ? sum : sum + 1e-20f) : weights[k];
            final float scaled = plan.scale() == 1.0 ? divided : divided * (float)plan.scale();
            weights[k] = plan.roundsWeights() ? precision.round(scaled) : scaled;
        }
        return weights;
    }
}
