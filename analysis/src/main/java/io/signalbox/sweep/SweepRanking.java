// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.compare.Estimate;
import io.signalbox.compare.Figure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cells of a complete sweep, the best by the plan's objective first. */
public final class SweepRanking
{
    private final SweepPlan plan;
    private final List<SweepCell> cells;
    /** By cell, then by figure. */
    private final Estimate[][] estimates;
    private final SweepRun[][] runs;

    /**
     * A cell in its place.
     *
     * @param rank       1: the best; cells with equal means have different ranks, in the order of their numbers.
     * @param estimates  in the order of {@link Figure}.
     * @param values     by figure, then by seed.
     * @param isFront    whether no other cell is better in one figure of the front and at least as good in all.
     * @param difference of the objective from the cell that the baseline names, seed by seed; {@code null} if there is
     *                   none, or if it is this cell.
     */
    public record Ranked(
        int rank, SweepCell cell, Estimate[] estimates, double[][] values, boolean isFront, Estimate difference)
    {
    }

    /** @param runs by cell, then by seed. */
    public SweepRanking(final SweepPlan plan, final SweepRun[][] runs)
    {
        this.plan = plan;
        this.runs = runs;
        cells = plan.cells();
        estimates = new Estimate[cells.size()][Figure.values().length];
        for (int cell = 0; cell < estimates.length; cell++)
        {
            for (final Figure figure : Figure.values())
            {
                estimates[cell][figure.ordinal()] = Estimate.of(values(cell, figure));
            }
        }
    }

    private double[] values(final int cell, final Figure figure)
    {
        final double[] values = new double[plan.seeds()];
        for (int seed = 0; seed < values.length; seed++)
        {
            values[seed] = runs[cell][seed].figures()[figure.ordinal()];
        }
        return values;
    }

    /** Mean of a figure, the smaller the better; infinite if a run did not measure the figure. */
    private double cost(final int cell, final Figure figure)
    {
        final double mean = estimates[cell][figure.ordinal()].mean();
        return Double.isNaN(mean) ? Double.POSITIVE_INFINITY : figure.better() == Figure.Better.MORE ? -mean : mean;
    }

    /** @param front the figures of the Pareto front. */
    public List<Ranked> ranked(final List<Figure> front)
    {
        final boolean[] isFront = front(front);
        final Map<Map<String, String>, Integer> numbers = new HashMap<>();
        cells.forEach(cell -> numbers.put(cell.settings(), cell.number()));
        final List<SweepCell> sorted = new ArrayList<>(cells);
        sorted.sort(Comparator.comparingDouble(cell -> cost(cell.number(), plan.objective())));
        final List<Ranked> ranked = new ArrayList<>();
        for (final SweepCell cell : sorted)
        {
            final double[][] values = new double[Figure.values().length][];
            for (final Figure figure : Figure.values())
            {
                values[figure.ordinal()] = values(cell.number(), figure);
            }
            ranked.add(new Ranked(ranked.size() + 1, cell, estimates[cell.number()], values, isFront[cell.number()],
                difference(cell, numbers)));
        }
        return ranked;
    }

    private Estimate difference(final SweepCell cell, final Map<Map<String, String>, Integer> numbers)
    {
        if (plan.baseline().isEmpty())
        {
            return null;
        }
        final Map<String, String> settings = new LinkedHashMap<>(cell.settings());
        settings.putAll(plan.baseline());
        final Integer other = numbers.get(settings);
        if (other == null || other == cell.number())
        {
            return null;
        }
        final double[] differences = values(cell.number(), plan.objective());
        final double[] theirs = values(other, plan.objective());
        for (int seed = 0; seed < differences.length; seed++)
        {
            differences[seed] -= theirs[seed];
        }
        return Estimate.of(differences);
    }

    /**
     * Cells in the order of the first figure, then of the others: only a cell before can be better than a cell. Each cell is
     * compared with the front so far, because what is worse than a cell behind the front is worse than a cell of it.
     */
    private boolean[] front(final List<Figure> figures)
    {
        Comparator<SweepCell> order = Comparator.comparingInt(cell -> 0);
        for (final Figure figure : figures)
        {
            order = order.thenComparingDouble(cell -> cost(cell.number(), figure));
        }
        final List<SweepCell> sorted = new ArrayList<>(cells);
        sorted.sort(order);
        final boolean[] isFront = new boolean[cells.size()];
        final List<SweepCell> front = new ArrayList<>();
        for (final SweepCell cell : sorted)
        {
            if (front.stream().noneMatch(other -> isBetter(other.number(), cell.number(), figures)) &&
                figures.stream().noneMatch(figure -> cost(cell.number(), figure) == Double.POSITIVE_INFINITY))
            {
                front.add(cell);
                isFront[cell.number()] = true;
            }
        }
        return isFront;
    }

    private boolean isBetter(final int one, final int other, final List<Figure> figures)
    {
        boolean better = false;
        for (final Figure figure : figures)
        {
            final double first = cost(one, figure);
            final double second = cost(other, figure);
            if (first > second)
            {
                return false;
            }
            better |= first < second;
        }
        return better;
    }
}
