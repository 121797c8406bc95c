// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.sweep;

import io.signalbox.DocumentSchema;
import io.signalbox.compare.Estimate;
import io.signalbox.compare.Figure;
import io.signalbox.sweep.SweepPlan;
import io.signalbox.sweep.SweepRanking;
import io.signalbox.sweep.SweepValue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code sweep --json} and {@code sweep merge --json}. The same plan gives the same bytes with any number of workers and
 * shards.
 *
 * @param plan   the plan
 * @param pareto figures of the Pareto front
 * @param cells  the cells, the best by the objective first
 */
@DocumentSchema("signalbox.sweep/1")
public record SweepDocument(Plan plan, List<String> pareto, List<Cell> cells)
{
    /**
     * {@code plan.json} in the directory of a sweep. An input file is stored as its name and the beginning of the SHA-256
     * digest of its content.
     *
     * @param options   options of every cell, by name
     * @param grid      values of each varied option, by name
     * @param variants  options of each variant, by the name of the variant; they replace {@code options}
     * @param draw      cells that are drawn from the grid; 0: all cells
     * @param drawSeed  seed of the draw
     * @param seed      first seed of the runs
     * @param seeds     runs of each cell, with consecutive seeds
     * @param objective figure by which cells are ranked
     * @param baseline  values of varied options; a cell is compared with the cell that has these and otherwise its own ones
     * @param halving   one of so many cells is kept after each round and runs with so many times the requests; 0: one round
     * @param round     round of successive halving, from 0
     * @param kept      numbers of the cells of the grid that run in this round, in their order there; empty: all
     */
    @DocumentSchema("signalbox.sweep-plan/1")
    public record Plan(
        Map<String, String> options, Map<String, List<String>> grid, Map<String, Map<String, String>> variants, int draw,
        long drawSeed, long seed, int seeds, String objective, Map<String, String> baseline, int halving, int round,
        List<Integer> kept)
    {
        public static Plan of(final SweepPlan plan)
        {
            final Map<String, Map<String, String>> variants = new LinkedHashMap<>();
            plan.variants().forEach((name, own) -> variants.put(name, stored(own)));
            final Map<String, List<String>> grid = new LinkedHashMap<>();
            plan.grid().forEach((name, values) -> grid.put(name, values.stream().map(SweepValue::stored).toList()));
            return new Plan(stored(plan.options()), grid, variants, plan.draw(), plan.drawSeed(), plan.firstSeed(),
                plan.seeds(), plan.objective().key(), plan.baseline(), plan.halving().keepOneIn(), plan.halving().round(),
                plan.halving().kept());
        }

        private static Map<String, String> stored(final Map<String, SweepValue> values)
        {
            final Map<String, String> stored = new LinkedHashMap<>();
            values.forEach((name, value) -> stored.put(name, value.stored()));
            return stored;
        }
    }

    /**
     * A combination of values.
     *
     * @param rank       place by the mean of the objective, from 1
     * @param cell       number in the plan, from 0
     * @param key        hash of all settings of the cell
     * @param settings   values of the varied options, by name
     * @param pareto     whether the cell is on the Pareto front
     * @param difference of the objective from the cell of the baseline, seed by seed; {@code null} without one
     * @param figures    figures as in {@code signalbox.compare}
     */
    record Cell(int rank, int cell, String key, Map<String, String> settings, boolean pareto, FromBaseline difference,
        Map<String, OverRuns> figures)
    {
        private static Cell of(final SweepRanking.Ranked ranked)
        {
            final Map<String, OverRuns> figures = new LinkedHashMap<>();
            for (final Figure figure : Figure.values())
            {
                figures.put(figure.key(),
                    OverRuns.of(ranked.estimates()[figure.ordinal()], ranked.values()[figure.ordinal()]));
            }
            return new Cell(ranked.rank(), ranked.cell().number(), ranked.cell().key(), ranked.cell().settings(),
                ranked.isFront(), FromBaseline.of(ranked.difference()), figures);
        }
    }

    /**
     * A difference over the seeds.
     *
     * @param mean        mean over the seeds; {@code null} if a run measured nothing
     * @param halfWidth95 half of its 95 % confidence interval; {@code null} with one seed
     */
    record FromBaseline(double mean, double halfWidth95)
    {
        private static FromBaseline of(final Estimate estimate)
        {
            return estimate == null ? null : new FromBaseline(estimate.mean(), estimate.halfWidth());
        }
    }

    /**
     * A figure over the seeds.
     *
     * @param mean        mean over the seeds; {@code null} if a run measured nothing
     * @param halfWidth95 half of its 95 % confidence interval; {@code null} with one seed
     * @param values      the figure of each run, in the order of the seeds; {@code null} if the run measured nothing
     */
    record OverRuns(double mean, double halfWidth95, double[] values)
    {
        private static OverRuns of(final Estimate estimate, final double[] values)
        {
            return new OverRuns(estimate.mean(), estimate.halfWidth(), values);
        }
    }

    /** @param front the figures of the Pareto front. */
    public static SweepDocument of(
        final SweepPlan plan, final List<SweepRanking.Ranked> ranked, final List<Figure> front)
    {
        return new SweepDocument(
            Plan.of(plan), front.stream().map(Figure::key).toList(), ranked.stream().map(Cell::of).toList());
    }
}
