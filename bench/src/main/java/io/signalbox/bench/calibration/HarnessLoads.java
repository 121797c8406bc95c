// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.calibration;

import io.signalbox.workload.SplitMix64;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Loads of experts on the GPU that the collector of ai-dynamo/aiconfigurator measures, for the distributions that it names.
 * {@code balanced} gives a token one expert per block of {@code experts / topK}; {@code power_law_A} draws shares from a
 * truncated power law and measures the group of experts with the most assignments.
 */
final class HarnessLoads
{
    private static final int DRAWS = 24;
    private static final double FEW_LOWEST = 0.01;
    private static final double FEW_HIGHEST = 2;
    private static final double MANY_HIGHEST = 0.8;
    private static final int GROUPS_CHOSEN = 4;

    /** Experts that at least one token chose, tokens times their choices, and the choices of the most chosen expert. */
    record Loads(double touched, double assignments, double hottest)
    {
    }

    private record Case(boolean grouped, int tokens, int experts, int topK, int groups, String distribution)
    {
    }

    private final Map<Case, Loads> known = new HashMap<>();

    /**
     * @param grouped whether experts are chosen within groups, as DeepSeek-V3 does. Then only four of the eight blocks can
     *                win, ties are broken by the lowest index, and the first four experts get half of all assignments.
     * @param groups  expert-parallel groups, the first of which is measured.
     */
    Loads of(final boolean grouped, final int tokens, final int experts, final int topK, final int groups,
        final String distribution)
    {
        return known.computeIfAbsent(new Case(grouped, tokens, experts, topK, groups, distribution),
            each -> distribution.equals("balanced") ? balanced(each) : powerLaw(each));
    }

    private static Loads balanced(final Case each)
    {
        final int stride = (each.experts + each.topK - 1) / each.topK;
        final double[] loads = new double[each.experts];
        for (int token = 0; token < Math.min(each.tokens, stride); token++)
        {
            final int repeats = each.tokens >= stride ? (each.tokens - token + stride - 1) / stride : 1;
            final int first = each.tokens >= stride ? token : token * stride / each.tokens;
            for (final int expert : chosen(each, first, stride))
            {
                loads[expert] += repeats;
            }
        }
        return of(loads, 0, each.experts / each.groups);
    }

    private static int[] chosen(final Case each, final int first, final int stride)
    {
        final int[] chosen = new int[each.topK];
        final int wanted = each.grouped ? GROUPS_CHOSEN : each.topK;
        for (int i = 0; i < wanted; i++)
        {
            chosen[i] = (first + i * stride) % each.experts;
        }
        int lowest = 0;
        for (int i = wanted; i < each.topK; i++)
        {
            while (contains(chosen, i, lowest))
            {
                lowest++;
            }
            chosen[i] = lowest;
        }
        return chosen;
    }

    private static boolean contains(final int[] values, final int count, final int value)
    {
        return Arrays.stream(values, 0, count).anyMatch(other -> other == value);
    }

    private static Loads of(final double[] loads, final int from, final int count)
    {
        double touched = 0;
        double assignments = 0;
        double hottest = 0;
        for (int expert = from; expert < from + count; expert++)
        {
            touched += loads[expert] > 0 ? 1 : 0;
            assignments += loads[expert];
            hottest = Math.max(hottest, loads[expert]);
        }
        return new Loads(touched, assignments, hottest);
    }

    private static Loads powerLaw(final Case each)
    {
        final double exponent = 1 - Double.parseDouble(each.distribution.substring("power_law_".length()));
        final boolean isFull = (long)each.tokens * each.topK > each.experts;
        final double low = StrictMath.pow(isFull ? 1 : FEW_LOWEST, exponent);
        final double high = StrictMath.pow(isFull ? each.tokens * MANY_HIGHEST : FEW_HIGHEST, exponent);
        final SplitMix64 random = new SplitMix64(7);
        double touched = 0;
        double assignments = 0;
        double hottest = 0;
        for (int draw = 0; draw < DRAWS; draw++)
        {
            final double[] shares = new double[each.experts];
            for (int expert = 0; expert < each.experts; expert++)
            {
                shares[expert] = StrictMath.pow((high - low) * random.nextDouble() + low, 1 / exponent);
            }
            final Loads loads = busiest(loads(each, shares), each.experts / each.groups);
            touched += loads.touched / DRAWS;
            assignments += loads.assignments / DRAWS;
            hottest += loads.hottest / DRAWS;
        }
        return new Loads(touched, assignments, hottest);
    }

    /** Whole loads with the right sum, at most one per token. */
    private static double[] loads(final Case each, final double[] shares)
    {
        final double total = Arrays.stream(shares).sum();
        final double assignments = (double)each.tokens * each.topK;
        final double[] loads = new double[shares.length];
        double missing = assignments;
        for (int expert = 0; expert < loads.length; expert++)
        {
            loads[expert] = Math.min(each.tokens, Math.rint(shares[expert] / total * assignments));
            missing -= loads[expert];
        }
        final Integer[] byShare = new Integer[loads.length];
        Arrays.setAll(byShare, expert -> expert);
        Arrays.sort(byShare, Comparator.comparingDouble(expert -> -shares[expert]));
        for (int i = 0; missing != 0 && i < 20 * loads.length; i++)
        {
            final int expert = byShare[i % loads.length];
            if (missing > 0 && loads[expert] < each.tokens)
            {
                loads[expert]++;
                missing--;
            }
            else if (missing < 0 && loads[expert] > 0)
            {
                loads[expert]--;
                missing++;
            }
        }
        return loads;
    }

    private static Loads busiest(final double[] loads, final int perGroup)
    {
        Loads busiest = null;
        for (int from = 0; from < loads.length; from += perGroup)
        {
            final Loads group = of(loads, from, perGroup);
            busiest = busiest == null || group.assignments > busiest.assignments ? group : busiest;
        }
        return busiest;
    }
}
