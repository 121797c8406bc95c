// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.compare.ComparisonCell;
import io.signalbox.compare.Estimate;
import io.signalbox.compare.Figure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;

/** A comparison as its page shows it: routers in one order, and the differences of each router to the best one. */
final class ComparedRouters
{
    /** By which routers are sorted, and of which the first sentences tell. */
    static final Figure MAIN = Figure.TTFT_P99;
    private static final DoubleFunction<String> LATENCY = milliseconds -> PageNumbers.duration(milliseconds * 1e6);
    private static final DoubleFunction<String> RATE = value -> PageNumbers.digits(value, 4);
    private static final List<Shown> FIGURES = List.of(
        new Shown(Figure.TTFT_P50, "TTFT p50", LATENCY), new Shown(Figure.TTFT_P90, "TTFT p90", LATENCY),
        new Shown(MAIN, "TTFT p99", LATENCY), new Shown(Figure.TPOT_P50, "TPOT p50", LATENCY),
        new Shown(Figure.TPOT_P90, "TPOT p90", LATENCY),
        new Shown(Figure.OUTPUT_TOKENS_PER_SECOND, "Output tokens/s", RATE),
        new Shown(Figure.TOKEN_HIT_RATE, "Prefix hits", PageNumbers::percent),
        new Shown(Figure.GOODPUT, "Goodput", RATE), new Shown(Figure.GOODPUT_SHARE, "Within limits", PageNumbers::percent));

    private final List<String> workloads;
    private final List<Integer> sizes;
    private final List<String> routers;
    private final Map<List<Object>, ComparisonCell> cells = new HashMap<>();

    ComparedRouters(final List<ComparisonCell> compared)
    {
        compared.forEach(cell -> cells.put(List.of(cell.workload(), cell.kvBlocks(), cell.router().label()), cell));
        workloads = compared.stream().map(ComparisonCell::workload).distinct().toList();
        sizes = compared.stream().map(ComparisonCell::kvBlocks).distinct().sorted().toList();
        final List<String> given = compared.stream().map(cell -> cell.router().label()).distinct().toList();
        routers = new ArrayList<>(given);
        final Map<String, Double> scores = new HashMap<>();
        given.forEach(router -> scores.put(router, score(router)));
        routers.sort(Comparator.comparingDouble(scores::get));
    }

    /**
     * A figure of the page.
     *
     * @param format a value in words.
     */
    record Shown(Figure figure, String title, DoubleFunction<String> format)
    {
        boolean isShare()
        {
            return figure == Figure.TOKEN_HIT_RATE || figure == Figure.GOODPUT_SHARE;
        }

        /** Whether it is a rate, of which more is better: a router reaches a part of the best one's. */
        boolean isRate()
        {
            return figure.better() == Figure.Better.MORE && !isShare();
        }
    }

    /**
     * A router against the best one, paired by seed, with the 95 % interval: the multiple of the best figure, or the
     * difference of a share.
     */
    record Gap(double mean, double low, double high)
    {
    }

    List<String> workloads()
    {
        return workloads;
    }

    List<Integer> sizes()
    {
        return sizes;
    }

    /** The best first, by the geometric mean of the main figure over the best one. */
    List<String> routers()
    {
        return routers;
    }

    /** Figures that some run measured. */
    List<Shown> figures()
    {
        return FIGURES.stream().filter(shown -> cells.values().stream()
            .anyMatch(cell -> !Double.isNaN(cell.estimate(shown.figure()).mean()))).toList();
    }

    ComparisonCell cell(final String workload, final int size, final String router)
    {
        return cells.get(List.of(workload, size, router));
    }

    double mean(final String workload, final int size, final String router, final Figure figure)
    {
        return cell(workload, size, router).estimate(figure).mean();
    }

    /** The router with the best mean; {@code null} if nothing was measured. */
    String best(final String workload, final int size, final Figure figure)
    {
        final int sign = figure.better() == Figure.Better.LESS ? 1 : -1;
        String best = null;
        for (final String router : routers)
        {
            final double value = sign * mean(workload, size, router, figure);
            if (!Double.isNaN(value) && (best == null || value < sign * mean(workload, size, best, figure)))
            {
                best = router;
            }
        }
        return best;
    }

    /** NaN if it, or the best one, measured nothing. */
    Gap gap(final String workload, final int size, final String router, final Shown shown)
    {
        final String best = best(workload, size, shown.figure());
        if (best == null)
        {
            return new Gap(Double.NaN, Double.NaN, Double.NaN);
        }
        final double[] own = cell(workload, size, router).values(shown.figure());
        final double[] least = cell(workload, size, best).values(shown.figure());
        for (int i = 0; i < own.length; i++)
        {
            own[i] -= least[i];
        }
        final Estimate difference = Estimate.of(own);
        final double half = Double.isNaN(difference.halfWidth()) ? 0 : difference.halfWidth();
        if (shown.isShare())
        {
            return new Gap(difference.mean(), difference.mean() - half, difference.mean() + half);
        }
        final double unit = mean(workload, size, best, shown.figure());
        return new Gap(multiple(difference.mean(), unit), multiple(difference.mean() - half, unit),
            multiple(difference.mean() + half, unit));
    }

    private static double multiple(final double difference, final double best)
    {
        return best == 0 ? difference == 0 ? 1 : Double.NaN : 1 + difference / best;
    }

    boolean isLevel(final String workload, final int size, final String router, final Figure figure)
    {
        return cell(workload, size, router).isLevelWithBest(figure);
    }

    /** Routers of a column that these seeds cannot tell from the best one. */
    List<String> level(final String workload, final int size, final Figure figure)
    {
        return routers.stream().filter(router -> isLevel(workload, size, router, figure)).toList();
    }

    private double score(final String router)
    {
        double score = 0;
        for (final String workload : workloads)
        {
            for (final int size : sizes)
            {
                double least = Double.POSITIVE_INFINITY;
                for (final ComparisonCell cell : cells.values())
                {
                    final boolean isColumn = cell.workload().equals(workload) && cell.kvBlocks() == size;
                    final double value = cell.estimate(MAIN).mean();
                    least = isColumn && value > 0 ? Math.min(least, value) : least;
                }
                final double own = mean(workload, size, router, MAIN);
                score += own > 0 ? StrictMath.log(own / least) : Double.isInfinite(least) ? 0 : 10;
            }
        }
        return score;
    }
}
