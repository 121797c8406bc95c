// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.sweep;

import io.signalbox.compare.Estimate;
import io.signalbox.compare.Figure;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.Printable;
import io.signalbox.printing.figures.TextColumns;
import io.signalbox.sweep.SweepPlan;
import io.signalbox.sweep.SweepRanking.Ranked;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The best cells of a sweep as a table. */
public final class SweepText
{
    private static final String NOT_MEASURED = "\u2013";
    private static final double PERCENT = 100.0;

    private SweepText()
    {
    }

    /**
     * @param front the figures of the Pareto front.
     * @param top   cells to print at most.
     */
    public static void print(
        final PrintStream out, final SweepPlan plan, final List<Ranked> ranked, final List<Figure> front, final int top)
    {
        final List<Ranked> shown = ranked.subList(0, Math.min(top, ranked.size()));
        out.print(Decimals.counted(ranked.size(), "cell") + ", " + Decimals.counted(plan.seeds(), "seed") +
            ", the best by " + plan.objective().key() + " first" +
            (shown.size() < ranked.size() ? "; the first " + shown.size() : "") + "\n\n");
        final Set<Figure> figures = new LinkedHashSet<>(List.of(plan.objective()));
        figures.addAll(front);
        final List<List<String>> lines = new ArrayList<>();
        lines.add(titles(plan, figures));
        shown.forEach(each -> lines.add(line(plan, figures, each)));
        TextColumns.print(out, 0, lines);
        out.print("\n* on the Pareto front of " + String.join(", ", front.stream().map(Figure::key).toList()) + ": " +
            Decimals.counted(ranked.stream().filter(Ranked::isFront).count(), "cell") + "\n");
        if (plan.seeds() > 1)
        {
            out.print("± half of the 95 % confidence interval over seeds\n");
        }
        if (!plan.baseline().isEmpty())
        {
            final String values = plan.baseline().entrySet().stream().map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(", "));
            out.print("difference: of " + plan.objective().key() + " from the cell with " + Printable.text(values) +
                " and otherwise the same values, seed by seed\n");
            final long alone = ranked.stream().filter(each -> isWithoutBaseline(plan, each)).count();
            if (alone > 0)
            {
                out.print("the baseline cell of " + Decimals.counted(alone, "cell") + " is " + absence(plan) + "\n");
            }
        }
    }

    /** Whether the cell is to be compared with a cell that does not run. */
    private static boolean isWithoutBaseline(final SweepPlan plan, final Ranked ranked)
    {
        return ranked.difference() == null &&
            !ranked.cell().settings().entrySet().containsAll(plan.baseline().entrySet());
    }

    private static String absence(final SweepPlan plan)
    {
        return plan.halving().kept().isEmpty() ? "not in the draw" : "not in this round";
    }

    private static List<String> titles(final SweepPlan plan, final Set<Figure> figures)
    {
        final List<String> titles = new ArrayList<>(List.of("rank", "cell"));
        plan.dimensions().keySet().forEach(name -> titles.add(Printable.text(name)));
        figures.forEach(figure -> titles.add(figure.key() + " "));
        if (!plan.baseline().isEmpty())
        {
            titles.add("difference");
        }
        return titles;
    }

    private static List<String> line(final SweepPlan plan, final Set<Figure> figures, final Ranked ranked)
    {
        final List<String> line = new ArrayList<>(
            List.of(Integer.toString(ranked.rank()), Integer.toString(ranked.cell().number())));
        plan.dimensions().keySet().forEach(name -> line.add(Printable.text(ranked.cell().settings().get(name))));
        String mark = ranked.isFront() ? "*" : " ";
        for (final Figure figure : figures)
        {
            line.add(text(ranked.estimates()[figure.ordinal()], figure, "") + mark);
            mark = " ";
        }
        if (!plan.baseline().isEmpty())
        {
            line.add(isWithoutBaseline(plan, ranked) ? absence(plan) :
                ranked.difference() == null ? NOT_MEASURED : text(ranked.difference(), plan.objective(), "+"));
        }
        return line;
    }

    /** @param plus the sign of a positive number. */
    private static String text(final Estimate estimate, final Figure figure, final String plus)
    {
        if (Double.isNaN(estimate.mean()))
        {
            return NOT_MEASURED;
        }
        final boolean isShare = figure == Figure.TOKEN_HIT_RATE || figure == Figure.GOODPUT_SHARE;
        final double scale = isShare ? PERCENT : 1;
        final String unit = isShare ? " %" : "";
        return (estimate.mean() > 0 ? plus : "") + Decimals.text(estimate.mean() * scale, 2) +
            (Double.isNaN(estimate.halfWidth()) ? "" : " ± " + Decimals.text(estimate.halfWidth() * scale, 2)) + unit;
    }
}
