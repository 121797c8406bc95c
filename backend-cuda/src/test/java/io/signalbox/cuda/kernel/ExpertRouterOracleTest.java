// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The oracle against another definition of routing: by sorting, in double precision. */
class ExpertRouterOracleTest
{
    private static final double WEIGHT_TOLERANCE = 2e-5;
    private static final double CLEAR_GAP = 1e-6;

    private final int[] ids = new int[ExpertRouterSpec.MAX_TOP_K];
    private final float[] weights = new float[ExpertRouterSpec.MAX_TOP_K];

    @Property
    void d26ShouldNeverChooseAnExpertTwiceOrOneThatDoesNotExist(@ForAll final long seed)
    {
        final ExpertRouterCase routerCase = new ExpertRouterCase(seed);
        final ExpertRouterSpec spec = routerCase.spec();

        new ExpertRouterOracle(spec).route(routerCase.logits(spec), ids, weights);

        final int[] chosen = Arrays.copyOf(ids, spec.topK());
        assertEquals(spec.topK(), IntStream.of(chosen).distinct().count());
        assertTrue(IntStream.of(chosen).allMatch(id -> id >= 0 && id < spec.experts()));
        for (int k = 0; k < spec.topK(); k++)
        {
            assertTrue(weights[k] >= 0 && weights[k] <= spec.scale() * 1.0001f, spec + " weighs " + weights[k]);
        }
    }

    @Property
    void shouldAgreeWithASortInDoublePrecision(@ForAll final long seed)
    {
        final ExpertRouterCase routerCase = new ExpertRouterCase(seed);
        final ExpertRouterSpec spec = routerCase.spec();
        final float[] logits = routerCase.tameLogits(spec);
        final double[] scores = scores(spec, logits);
        Assume.that(isClear(scores) && isClear(groupScores(spec, scores)));

        new ExpertRouterOracle(spec).route(logits, ids, weights);

        final List<Integer> expected = sorted(spec, logits);
        assertEquals(expected, IntStream.range(0, spec.topK()).mapToObj(k -> ids[k]).toList(), spec.toString());
        final double[] expectedWeights = weights(spec, logits, expected);
        for (int k = 0; k < spec.topK(); k++)
        {
            assertEquals(expectedWeights[k], weights[k], expectedWeights[k] * WEIGHT_TOLERANCE, spec.toString());
        }
    }

    @Test
    void shouldBreakTiesByTheLowestExpertAndTakeZerosOfBothSignsForEqual()
    {
        final float[] logits = {-0.0f, 0.0f, -0.0f, 1.0f, 0.0f, -1.0f, 1.0f, 0.0f};
        final ExpertRouterSpec spec = ExpertRouterSpec.plain(8, 5, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.FP32);

        new ExpertRouterOracle(spec).route(logits, ids, weights);

        assertArrayEquals(new int[] {3, 6, 0, 1, 2}, Arrays.copyOf(ids, 5));
    }

    @Test
    void shouldWeighAllAlikeWhereAllLogitsAreMinusInfinityOrNan()
    {
        final float[] logits = new float[8];
        Arrays.fill(logits, Float.NaN);
        logits[2] = Float.NEGATIVE_INFINITY;

        new ExpertRouterOracle(ExpertRouterSpec.plain(8, 3, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.FP32))
            .route(logits, ids, weights);

        assertArrayEquals(new int[] {0, 1, 2}, Arrays.copyOf(ids, 3));
        assertArrayEquals(new float[] {0.125f, 0.125f, 0.125f}, Arrays.copyOf(weights, 3));
    }

    @Test
    void shouldNeverChooseFromALeftOutGroupEvenWhereAllScoresAreNegative()
    {
        final float[] bias = {-3, -3, -2, -2, -1.5f, -1.5f, -4, -4};
        final ExpertRouterSpec spec =
            ExpertRouterSpec.plain(8, 4, ExpertRouterMode.SIGMOID_BIAS, LogitsType.FP32).withGroups(4, 2).withBias(bias);

        new ExpertRouterOracle(spec).route(new float[8], ids, weights);

        assertArrayEquals(new int[] {4, 5, 2, 3}, Arrays.copyOf(ids, 4));
        assertArrayEquals(new float[] {0.5f, 0.5f, 0.5f, 0.5f}, Arrays.copyOf(weights, 4));
    }

    private static List<Integer> sorted(final ExpertRouterSpec spec, final float[] logits)
    {
        final double[] scores = scores(spec, logits);
        final List<Integer> groups = IntStream.range(0, spec.groups()).boxed()
            .sorted(Comparator.comparingDouble((Integer group) -> -groupScore(spec, scores, group)).thenComparing(i -> i))
            .limit(spec.topGroups()).toList();
        return IntStream.range(0, spec.experts()).boxed()
            .filter(expert -> groups.contains(expert / spec.groupSize()))
            .sorted(Comparator.comparingDouble((Integer expert) -> -scores[expert]).thenComparing(i -> i))
            .limit(spec.topK()).toList();
    }

    private static double groupScore(final ExpertRouterSpec spec, final double[] scores, final int group)
    {
        return Arrays.stream(scores, group * spec.groupSize(), (group + 1) * spec.groupSize()).map(score -> -score)
            .sorted().limit(2).map(score -> -score).sum();
    }

    private static double[] groupScores(final ExpertRouterSpec spec, final double[] scores)
    {
        return IntStream.range(0, spec.groups()).mapToDouble(group -> groupScore(spec, scores, group)).toArray();
    }

    private static double[] scores(final ExpertRouterSpec spec, final float[] logits)
    {
        final float[] bias = spec.bias();
        return IntStream.range(0, spec.experts()).mapToDouble(expert -> spec.mode() != ExpertRouterMode.SIGMOID_BIAS ?
            logits[expert] : sigmoid(logits[expert]) + (bias == null ? 0 : bias[expert])).toArray();
    }

    /** Whether values are equal or so far apart that single precision has them in the same order. */
    private static boolean isClear(final double[] values)
    {
        final double[] ordered = Arrays.stream(values).sorted().toArray();
        return IntStream.range(1, ordered.length).allMatch(i ->
            ordered[i] == ordered[i - 1] || ordered[i] - ordered[i - 1] > CLEAR_GAP);
    }

    private static double[] weights(final ExpertRouterSpec spec, final float[] logits, final List<Integer> chosen)
    {
        final double total = spec.mode() == ExpertRouterMode.SOFTMAX_TOPK ?
            IntStream.range(0, spec.experts()).mapToDouble(expert -> StrictMath.exp(logits[expert])).sum() :
            chosen.stream().mapToDouble(expert -> StrictMath.exp(logits[expert])).sum();
        final double[] weights = chosen.stream().mapToDouble(expert -> spec.mode() == ExpertRouterMode.SIGMOID_BIAS ?
            sigmoid(logits[expert]) : StrictMath.exp(logits[expert]) / total).toArray();
        final double sum = spec.renormalise() ? Arrays.stream(weights).sum() : 1;
        return Arrays.stream(weights).map(weight -> weight / sum * spec.scale()).toArray();
    }

    private static double sigmoid(final double x)
    {
        return 1 / (1 + StrictMath.exp(-x));
    }
}
