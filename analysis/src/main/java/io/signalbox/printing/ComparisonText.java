// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.compare.ComparisonCell;
import io.signalbox.compare.Estimate;
import io.signalbox.compare.Figure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A comparison as text: two tables per workload and cache size, with a line per router. */
public final class ComparisonText
{
    private static final List<Column> LATENCY = List.of(
        new Column(Figure.TTFT_P50, "TTFT p50, ms", 1),
        new Column(Figure.TTFT_P90, "p90", 1),
        new Column(Figure.TTFT_P99, "p99", 1),
        new Column(Figure.TPOT_P50, "TPOT p50, ms", 2),
        new Column(Figure.TPOT_P90, "p90", 2));
    private static final List<Column> THROUGHPUT = List.of(
        new Column(Figure.OUTPUT_TOKENS_PER_SECOND, "tokens/s", 1),
        new Column(Figure.REQUESTS_PER_SECOND, "requests/s", 2),
        new Column(Figure.TOKEN_HIT_RATE, "hits, %", 2),
        new Column(Figure.RANK_LOAD_MAX_OVER_MEAN, "max/mean", 3),
        new Column(Figure.PREEMPTIONS, "preempted", 1),
        new Column(Figure.COMPLETED, "completed", 1),
        new Column(Figure.REFUSED, "refused", 1));
    private static final List<Column> GOODPUT = List.of(
        new Column(Figure.GOODPUT, "goodput/s", 2),
        new Column(Figure.GOODPUT_SHARE, "in limits, %", 2));
    /** Each only if a request of the workload ended so. */
    private static final List<Column> OTHER_ENDS = List.of(
        new Column(Figure.MISSED_DEADLINES, "missed deadlines", 1),
        new Column(Figure.ABORTED_BY_NEW_WEIGHTS, "aborted by new weights", 1),
        new Column(Figure.FAILED, "failed", 1));
    private static final String GAP = "   ";
    private static final double PERCENT = 100.0;

    private final PrintStream out;

    private ComparisonText(final PrintStream out)
    {
        this.out = out;
    }

    /** @param digits number of decimals. */
    private record Column(Figure figure, String title, int digits)
    {
        private String text(final ComparisonCell cell)
        {
            final Estimate estimate = cell.estimate(figure);
            final String mark = cell.isBest(figure) ? "*" : cell.isLevelWithBest(figure) ? "~" : " ";
            if (Double.isNaN(estimate.mean()))
            {
                return ReportText.NO_DATA + mark;
            }
            final String interval =
                Double.isNaN(estimate.halfWidth()) ? "" : " ± " + Decimals.text(scale(estimate.halfWidth()), digits);
            return Decimals.text(scale(estimate.mean()), digits) + interval + mark;
        }

        private double scale(final double value)
        {
            return figure == Figure.TOKEN_HIT_RATE || figure == Figure.GOODPUT_SHARE ? value * PERCENT : value;
        }
    }

    /** @param seeds number of runs per figure. */
    public static void print(final PrintStream out, final List<ComparisonCell> cells, final int seeds)
    {
        new ComparisonText(out).print(cells, seeds);
    }

    private void print(final List<ComparisonCell> cells, final int seeds)
    {
        for (int from = 0; from < cells.size(); )
        {
            final ComparisonCell first = cells.get(from);
            int to = from;
            while (to < cells.size() && cells.get(to).workload().equals(first.workload()) &&
                cells.get(to).kvBlocks() == first.kvBlocks())
            {
                to++;
            }
            out.print(first.workload() + ", " + Decimals.grouped(first.kvBlocks()) + " KV blocks per rank, " +
                seeds + (seeds == 1 ? " seed\n" : " seeds\n"));
            table(cells.subList(from, to), LATENCY);
            table(cells.subList(from, to), THROUGHPUT);
            otherEnds(cells.subList(from, to));
            if (cells.subList(from, to).stream().anyMatch(cell -> !Double.isNaN(cell.estimate(Figure.GOODPUT).mean())))
            {
                table(cells.subList(from, to), GOODPUT);
            }
            out.print('\n');
            from = to;
        }
        legend(seeds);
    }

    private void otherEnds(final List<ComparisonCell> cells)
    {
        final List<Column> columns = OTHER_ENDS.stream()
            .filter(column -> cells.stream().anyMatch(cell -> cell.estimate(column.figure()).mean() > 0)).toList();
        if (!columns.isEmpty())
        {
            table(cells, columns);
        }
    }

    private void legend(final int seeds)
    {
        out.print("* best mean of its column\n");
        if (seeds > 1)
        {
            out.print("~ not distinguishable from the best with these seeds: the mean difference, seed by seed, may be 0\n" +
                "± half of the 95 % confidence interval over seeds\n");
        }
        out.print("max/mean: computed tokens of the busiest rank over the mean of all ranks\n");
    }

    private void table(final List<ComparisonCell> cells, final List<Column> columns)
    {
        final List<List<String>> lines = new ArrayList<>();
        final List<String> titles = new ArrayList<>(List.of("router"));
        // The mark follows the digits; a title ends above the last digit.
        columns.forEach(column -> titles.add(column.title() + " "));
        lines.add(titles);
        for (final ComparisonCell cell : cells)
        {
            final List<String> line = new ArrayList<>(List.of(cell.router().label()));
            columns.forEach(column -> line.add(column.text(cell)));
            lines.add(line);
        }
        final int[] widths = new int[columns.size() + 1];
        for (final List<String> line : lines)
        {
            for (int i = 0; i < widths.length; i++)
            {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        out.print('\n');
        lines.forEach(line -> print(line, widths));
    }

    private void print(final List<String> line, final int[] widths)
    {
        final StringBuilder text = new StringBuilder(line.get(0));
        text.append(" ".repeat(widths[0] - line.get(0).length()));
        for (int i = 1; i < widths.length; i++)
        {
            text.append(GAP).append(" ".repeat(widths[i] - line.get(i).length())).append(line.get(i));
        }
        out.print(text.toString().stripTrailing());
        out.print('\n');
    }
}
