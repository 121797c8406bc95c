// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonInline;
import io.signalbox.compare.ComparisonCell;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.Estimate;
import io.signalbox.compare.Figure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A comparison as CSV and JSON. Rates are from 0 to 1; a figure that was not measured is empty in CSV, null in JSON. */
public final class ComparisonFiles
{
    private static final int SETTINGS_BYTES = 1 << 14;
    private static final int ROUTER_BYTES = 1 << 11;
    private static final int NAME_BYTES = 1 << 9;
    private static final int FIGURE_BYTES = 1 << 8;
    private static final int VALUE_BYTES = 40;

    private ComparisonFiles()
    {
    }

    /** Room that {@link #csv} needs at most, unless figures have more than {@link #VALUE_BYTES} characters. */
    public static long csvBytes(final ComparisonConfig plan)
    {
        return (1 + cells(plan)) * (NAME_BYTES + 2 * VALUE_BYTES * Figure.values().length);
    }

    /** Room that {@link #json} needs at most, with the same limit. */
    public static long jsonBytes(final ComparisonConfig plan)
    {
        final long valuesOfCell = Figure.values().length * (long)(FIGURE_BYTES + VALUE_BYTES * plan.seeds());
        return SETTINGS_BYTES + ROUTER_BYTES * (long)plan.routers().size() + cells(plan) * (NAME_BYTES + valuesOfCell);
    }

    private static long cells(final ComparisonConfig plan)
    {
        return plan.cells() / plan.seeds();
    }

    /** One line per cell, with mean and half of the 95 % confidence interval of each figure. */
    public static String csv(final List<ComparisonCell> cells)
    {
        final StringBuilder csv = new StringBuilder("workload,kvBlocks,router");
        for (final Figure figure : Figure.values())
        {
            csv.append(',').append(figure.key()).append(',').append(figure.key()).append("HalfWidth95");
        }
        csv.append('\n');
        for (final ComparisonCell cell : cells)
        {
            csv.append(quoted(cell.workload())).append(',').append(cell.kvBlocks()).append(',')
                .append(cell.router().label());
            for (final Figure figure : Figure.values())
            {
                final Estimate estimate = cell.estimate(figure);
                csv.append(',').append(text(estimate.mean())).append(',').append(text(estimate.halfWidth()));
            }
            csv.append('\n');
        }
        return csv.toString();
    }

    static String quoted(final String text)
    {
        final boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    private static String text(final double value)
    {
        return Double.isNaN(value) ? "" : Decimals.shortest(value);
    }

    /** The plan's settings, and per cell each figure with mean, interval and the value of each seed. */
    public static String json(final ComparisonConfig plan, final List<ComparisonCell> cells)
    {
        final Map<String, Map<String, String>> routers = new LinkedHashMap<>();
        plan.routers().forEach(router -> routers.put(router.label(), router.settings()));
        return JsonDocument.text(new ComparisonDocument(
            plan.firstSeed(), plan.seeds(), settings(plan), routers, cells.stream().map(Cell::of).toList()));
    }

    /** The part of the run description that all runs share. */
    public static Map<String, String> settings(final ComparisonConfig plan)
    {
        final Map<String, String> settings = new LinkedHashMap<>();
        shared(plan.scheduler().settings(), settings);
        shared(plan.simulation().settings(), settings);
        return settings;
    }

    /** Router, pool size and seed are those of the cells. */
    private static void shared(final Map<String, String> of, final Map<String, String> settings)
    {
        of.forEach((name, value) ->
        {
            if (!name.startsWith("router.") && !List.of("scheduler.kvBlocks", "sim.seed").contains(name))
            {
                settings.put(name, value);
            }
        });
    }

    /**
     * {@code compare --json}. The CSV has a line per cell: {@code workload}, {@code kvBlocks}, {@code router}, then for each
     * figure its mean and, as {@code …HalfWidth95}, half of its confidence interval. A figure that was not measured is
     * empty.
     *
     * @param firstSeed the first seed
     * @param seeds     runs of each combination, with consecutive seeds
     * @param settings  the part of the run description that all runs share, by the names of the journal
     * @param routers   label, version and knobs of each compared router, by its label
     * @param cells     combinations of workload, pool size and router
     */
    @DocumentSchema("signalbox.compare/1")
    record ComparisonDocument(
        long firstSeed, int seeds, Map<String, String> settings, Map<String, Map<String, String>> routers,
        List<Cell> cells)
    {
    }

    /**
     * A combination of workload, pool size and router.
     *
     * @param workload the workload: its name, or the name of its file
     * @param kvBlocks KV blocks of each rank's pool
     * @param router   the router
     * @param figures  figures: {@code ttftP50Ms}, {@code ttftP90Ms} and {@code ttftP99Ms} are percentiles of the time to
     *                 first token, {@code tpotP50Ms} and {@code tpotP90Ms} of the time per output token, in simulated
     *                 milliseconds; {@code outputTokensPerSecond} and {@code requestsPerSecond} output tokens and completed
     *                 requests per simulated second, {@code tokenHitRate} matched over prompt tokens,
     *                 {@code rankLoadMaxOverMean} computed tokens of the busiest rank over the mean of all ranks,
     *                 {@code preemptions}, {@code completed},
     *                 {@code refused}, {@code missedDeadlines}, {@code abortedByNewWeights} and {@code failed} counts,
     *                 {@code goodputRequestsPerSecond} and {@code goodputShare} as in
     *                 {@code goodput} of {@code signalbox.simulate}, not measured without {@code --slo}
     */
    record Cell(String workload, int kvBlocks, String router, @JsonInline Map<String, OverSeeds> figures)
    {
        private static Cell of(final ComparisonCell cell)
        {
            final Map<String, OverSeeds> figures = new LinkedHashMap<>();
            for (final Figure figure : Figure.values())
            {
                figures.put(figure.key(), new OverSeeds(cell.estimate(figure).mean(), cell.estimate(figure).halfWidth(),
                    cell.isBest(figure), cell.isLevelWithBest(figure), cell.values(figure)));
            }
            return new Cell(cell.workload(), cell.kvBlocks(), cell.router().label(), figures);
        }
    }

    /**
     * A figure over the seeds.
     *
     * @param mean          mean over the seeds; {@code null} if a run measured nothing
     * @param halfWidth95   half of its 95 % confidence interval; {@code null} with one seed
     * @param best          whether the mean is the best one of the workload and pool size
     * @param levelWithBest whether the seeds cannot distinguish it from the best one
     * @param values        the figure of each run, in the order of the seeds; {@code null} if the run measured nothing
     */
    record OverSeeds(double mean, double halfWidth95, boolean best, boolean levelWithBest, double[] values)
    {
    }
}
