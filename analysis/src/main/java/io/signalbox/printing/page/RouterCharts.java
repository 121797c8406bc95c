// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.compare.Figure;
import io.signalbox.printing.page.ComparedRouters.Gap;
import io.signalbox.printing.page.ComparedRouters.Shown;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.stream.DoubleStream;

/** Charts of a comparison with a row per router: differences to the best router with intervals, and spreads of the TTFT. */
final class RouterCharts
{
    private static final int ROW = 21;
    private static final String GUTTERS = "--gl:132px;--gr:72px;padding-bottom:18px";
    /** Above this factor the axis is logarithmic. */
    private static final double FAR = 1.45;
    private static final double[] FACTORS = {1, 1.5, 2, 3, 5, 10, 20, 50, 100, 0.5};
    /** A logarithmic axis does not go further, so that the means stay apart; arrows mark intervals that leave it. */
    private static final double LEAST_MULTIPLE = 0.25;
    private static final double MOST_OF_A_MEAN = 4;

    private final ComparedRouters compared;

    RouterCharts(final ComparedRouters compared)
    {
        this.compared = compared;
    }

    /** An axis with its ends and its label. */
    private record Axis(
        Scale scale, double least, double most, List<Double> ticks, DoubleFunction<String> label, double best, String unit)
    {
        private static Axis of(
            final Scale.Between scale, final List<Double> ticks, final DoubleFunction<String> label, final double best,
            final String unit)
        {
            return new Axis(scale, scale.least(), scale.most(), ticks, label, best, unit);
        }
    }

    /** An axis for whole intervals as far as they can be read. */
    private static Axis axis(final List<Gap> all, final Shown shown)
    {
        final List<Gap> gaps = all.stream().filter(gap -> !Double.isNaN(gap.mean())).toList();
        final double lowest = gaps.stream().mapToDouble(Gap::low).min().orElse(shown.isShare() ? 0 : 1);
        final double highest = gaps.stream().mapToDouble(Gap::high).max().orElse(shown.isShare() ? 0 : 1);
        if (shown.isShare())
        {
            return points(Math.max(-1, lowest), Math.min(1, highest));
        }
        if (shown.isRate())
        {
            return percents(Math.max(0, lowest), Math.min(2, highest), "difference to the best");
        }
        return highest < FAR ? percents(Math.max(0, lowest), highest, "worse than the best") :
            multiples(lowest, highest, gaps.stream().mapToDouble(Gap::mean).max().orElse(1));
    }

    private static Axis points(final double lowest, final double highest)
    {
        final double low = Math.min(-0.001, lowest * 1.05);
        final Scale.Between scale =
            Scale.Between.of(low, Math.max(-low * 0.12, highest * 1.05), 0, Plot.WIDTH * 0.97, 4);
        return Axis.of(scale, scale.ticks(), value -> value == 0 ? "best" : (value < 0 ? "\u2212" : "+") +
            PageNumbers.plain(Math.abs(value) * 100), 0, "points below the best");
    }

    private static Axis percents(final double lowest, final double highest, final String unit)
    {
        final double step = Scale.niceStep((highest - lowest) * 1.25 + 0.005, 4);
        final Scale.Between scale = new Scale.Between(Math.min(lowest - step * 0.1, 1 - step * 0.6),
            Math.max(highest + step * 0.1, 1 + step * 0.6), 0, Plot.WIDTH * 0.97, step);
        final long first = (long)StrictMath.ceil((scale.least() - 1) / step);
        final List<Double> ticks =
            DoubleStream.iterate(first, i -> i + 1).limit(12).map(i -> 1 + i * step).filter(scale::has).boxed().toList();
        return Axis.of(scale, ticks, value -> value == 1 ? "best" : (value < 1 ? "\u2212" : "+") +
            PageNumbers.plain(Math.abs(value - 1) * 100) + " %", 1, unit);
    }

    private static Axis multiples(final double lowest, final double highest, final double mostMean)
    {
        final Scale.Logarithmic scale = new Scale.Logarithmic(Math.min(0.8, Math.max(LEAST_MULTIPLE, lowest * 0.95)),
            Math.max(2, Math.min(highest, mostMean * MOST_OF_A_MEAN) * 1.15), 0, Plot.WIDTH * 0.97);
        final List<Double> ticks = new ArrayList<>();
        for (final double factor : FACTORS)
        {
            if (factor >= scale.least() && factor <= scale.most() && ticks.stream().allMatch(
                other -> Math.abs(scale.at(factor) - scale.at(other)) > Plot.WIDTH * 0.12))
            {
                ticks.add(factor);
            }
        }
        return new Axis(scale, scale.least(), scale.most(), ticks,
            value -> value == 1 ? "best" : PageNumbers.plain(value) + " \u00d7", 1, "times the best");
    }

    /** Differences to the best router, paired by seed, with 95 % intervals. */
    String differences(final String workload, final int size, final Shown shown)
    {
        final List<String> routers = compared.routers();
        final List<Gap> gaps =
            routers.stream().map(router -> compared.gap(workload, size, router, shown)).toList();
        final Axis axis = axis(gaps, shown);
        final int height = ROW * routers.size();
        final Plot plot = new Plot(height).bottomAxis(axis.scale, axis.ticks, axis.label)
            .path("ln thin st-ink", "M" + Plot.number(axis.scale.at(axis.best)) + " 0V" + height);
        final String best = compared.best(workload, size, shown.figure());
        final List<String> words = new ArrayList<>();
        for (int i = 0; i < routers.size(); i++)
        {
            words.add(mark(plot, axis, i, gaps.get(i), new Row(workload, size, routers.get(i), shown, best)));
        }
        final List<String> level = compared.level(workload, size, shown.figure());
        final String heading = best == null ? "nothing was measured" : Markup.escaped(best) + " is best" +
            (level.isEmpty() ? "" : "; " + level.size() + " cannot be told apart from it");
        return "<figure><div class=\"rowhead\" style=\"margin-left:0\"><b>" + Markup.escaped(workload) + "</b><span>" +
            heading + "</span></div><div class=\"plot\" style=\"" + GUTTERS + "\">" + plot.svg(
            shown.title() + ", " + workload + ", " + PageNumbers.plural(size, "block") +
            ": difference to the best router, paired by seed", String.join("; ", words)) +
            "</div><div class=\"xlabel\" style=\"--gr:72px\">" + axis.unit + "</div></figure>";
    }

    private record Row(String workload, int size, String router, Shown shown, String best)
    {
        boolean isBest()
        {
            return router.equals(best);
        }
    }

    /** Draws a row, and returns it in words. */
    private String mark(final Plot plot, final Axis axis, final int at, final Gap gap, final Row row)
    {
        final double y = at * ROW + ROW / 2.0;
        final boolean isLevel = compared.isLevel(row.workload, row.size, row.router, row.shown.figure());
        final String value = row.shown.format().apply(
            compared.mean(row.workload, row.size, row.router, row.shown.figure()));
        plot.addOuter(Plot.textOf("-8", y + 4, row.router, row.isBest() ? "e b h" : "e k", ""));
        plot.addOuter(Plot.textOf("100%", y + 4, value, row.isBest() ? "h e b" : "h e", " dx=\"66\""));
        if (Double.isNaN(gap.mean()))
        {
            return row.router + ": " + value;
        }
        if (!row.isBest())
        {
            interval(plot, axis, y, gap, isLevel);
        }
        plot.dot(axis.scale.at(gap.mean()), y, row.isBest() ? 4.5 : 3.5,
            row.isBest() ? "f-ink" : isLevel ? "hollow" : "f-work", "");
        return row.router + ": " + value + ", " + (row.isBest() ? "best" : isLevel ? "level with the best" :
            row.shown.isShare() ? PageNumbers.signed(gap.mean(), true) : PageNumbers.digits(gap.mean()) +
            (row.shown.isRate() ? " of the best" : " times the best"));
    }

    /** An arrow marks an end that lies outside of the axis. */
    private static void interval(
        final Plot plot, final Axis axis, final double y, final Gap gap, final boolean isLevel)
    {
        final double from = axis.scale.at(gap.low());
        final double to = axis.scale.at(gap.high());
        plot.path("ln st-" + (isLevel ? "quiet" : "work"),
            "M" + Plot.number(from) + " " + Plot.number(y) + "H" + Plot.number(to));
        if (gap.low() < axis.least)
        {
            plot.text(from, y + 4, "\u25c2", "m k");
        }
        if (gap.high() > axis.most)
        {
            plot.text(to, y + 4, "\u25b8", "m k");
        }
    }

    /** Median, p90 and p99 of the TTFT on one axis. */
    String spreads(final String workload, final int size)
    {
        final List<String> routers = compared.routers();
        final DoubleStream lows = routers.stream().mapToDouble(
            router -> compared.mean(workload, size, router, Figure.TTFT_P50)).filter(value -> value > 0);
        final DoubleStream highs = routers.stream().mapToDouble(
            router -> compared.mean(workload, size, router, Figure.TTFT_P99)).filter(value -> value > 0);
        final Scale.Logarithmic scale = Scale.Logarithmic.around(
            lows.min().orElse(1) * 0.8, highs.max().orElse(1) * 1.25, 0, Plot.WIDTH);
        final int height = ROW * routers.size();
        final Plot plot = new Plot(height).bottomAxis(
            scale, scale.ticks(250), value -> PageNumbers.axisLatency(value * 1e6));
        final StringBuilder thick = new StringBuilder();
        final StringBuilder thin = new StringBuilder();
        for (int i = 0; i < routers.size(); i++)
        {
            final String router = routers.get(i);
            final double y = i * ROW + ROW / 2.0;
            final double[] at = DoubleStream.of(compared.mean(workload, size, router, Figure.TTFT_P50),
                compared.mean(workload, size, router, Figure.TTFT_P90),
                compared.mean(workload, size, router, Figure.TTFT_P99)).toArray();
            plot.addOuter(Plot.textOf("-8", y + 4, router, "e k", ""));
            if (!(at[0] > 0))
            {
                continue;
            }
            final String[] x = DoubleStream.of(at).mapToObj(value -> Plot.number(scale.at(value))).toArray(String[]::new);
            thick.append('M').append(x[0]).append(' ').append(Plot.number(y)).append('H').append(x[1]);
            thin.append('M').append(x[1]).append(' ').append(Plot.number(y)).append('H').append(x[2]);
            plot.dot(scale.at(at[0]), y, 4, "f-work", "").dot(scale.at(at[1]), y, 3, "f-work", "")
                .dot(scale.at(at[2]), y, 3, "hollow2", "");
        }
        plot.path("ln st-work spread", thick.toString()).path("ln st-work", thin.toString());
        return "<figure><div class=\"rowhead\" style=\"margin-left:0\"><b>" + Markup.escaped(workload) +
            "</b><span>TTFT: median, p90 and p99</span></div><div class=\"plot\" style=\"--gl:132px;--gr:14px;" +
            "padding-bottom:18px\">" + plot.svg(workload + ", " + PageNumbers.plural(size, "block") +
            ": TTFT p50, p90 and p99 of each router") + "</div></figure>";
    }
}
