// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The figures of every run, at first one by one, at last as cells. Written by several threads, each at its own place. */
final class ComparisonTable
{
    private final ComparisonConfig plan;
    /** By cell in the order of workload, cache size, router and seed, then by figure. */
    private final double[][] figures;

    ComparisonTable(final ComparisonConfig plan)
    {
        this.plan = plan;
        figures = new double[plan.cells()][];
    }

    void put(final Cell cell, final double[] values)
    {
        figures[index(cell.workload(), cell.pool(), cell.router(), cell.seed())] = values;
    }

    private int index(final int workload, final int pool, final int router, final int seed)
    {
        return ((workload * plan.kvBlocks().size() + pool) * plan.routers().size() + router) * plan.seeds() + seed;
    }

    /** Every run must have been put. */
    List<ComparisonCell> cells()
    {
        final List<ComparisonCell> cells = new ArrayList<>();
        for (int workload = 0; workload < plan.workloads().size(); workload++)
        {
            for (int pool = 0; pool < plan.kvBlocks().size(); pool++)
            {
                addCells(workload, pool, cells);
            }
        }
        return List.copyOf(cells);
    }

    private void addCells(final int workload, final int pool, final List<ComparisonCell> cells)
    {
        final int routers = plan.routers().size();
        final double[][][] values = new double[routers][Figure.values().length][plan.seeds()];
        final Estimate[][] estimates = new Estimate[routers][Figure.values().length];
        for (int router = 0; router < routers; router++)
        {
            for (final Figure figure : Figure.values())
            {
                final double[] ofSeeds = values[router][figure.ordinal()];
                for (int seed = 0; seed < ofSeeds.length; seed++)
                {
                    ofSeeds[seed] = figures[index(workload, pool, router, seed)][figure.ordinal()];
                }
                estimates[router][figure.ordinal()] = Estimate.of(ofSeeds);
            }
        }
        final List<Set<Figure>> best = new ArrayList<>();
        for (int router = 0; router < routers; router++)
        {
            best.add(best(estimates, router));
        }
        for (int router = 0; router < routers; router++)
        {
            cells.add(new ComparisonCell(plan.workloads().get(workload).name(), plan.kvBlocks().get(pool),
                plan.routers().get(router), values[router], estimates[router], best.get(router),
                level(values, best, router)));
        }
    }

    private static Set<Figure> best(final Estimate[][] estimates, final int router)
    {
        final Set<Figure> best = EnumSet.noneOf(Figure.class);
        for (final Figure figure : Figure.values())
        {
            final int sign = figure.better() == Figure.Better.MORE ? 1 : -1;
            final double own = sign * estimates[router][figure.ordinal()].mean();
            boolean beaten = Double.isNaN(own);
            boolean beats = false;
            for (final Estimate[] other : estimates)
            {
                final double theirs = sign * other[figure.ordinal()].mean();
                beaten |= theirs > own;
                beats |= theirs < own;
            }
            if (!beaten && beats)
            {
                best.add(figure);
            }
        }
        return best;
    }

    private static Set<Figure> level(final double[][][] values, final List<Set<Figure>> best, final int router)
    {
        final Set<Figure> level = EnumSet.noneOf(Figure.class);
        for (final Figure figure : Figure.values())
        {
            for (int other = 0; other < values.length && !best.get(router).contains(figure); other++)
            {
                if (best.get(other).contains(figure) &&
                    isLevel(values[router][figure.ordinal()], values[other][figure.ordinal()]))
                {
                    level.add(figure);
                }
            }
        }
        return level;
    }

    private static boolean isLevel(final double[] first, final double[] second)
    {
        final double[] differences = new double[first.length];
        for (int seed = 0; seed < differences.length; seed++)
        {
            differences[seed] = first[seed] - second[seed];
        }
        final Estimate difference = Estimate.of(differences);
        return Math.abs(difference.mean()) <= difference.halfWidth();
    }

    /** One run, by its places in the plan's lists. */
    record Cell(int workload, int pool, int router, int seed)
    {
    }
}
