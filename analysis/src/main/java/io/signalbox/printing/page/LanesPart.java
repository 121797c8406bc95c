// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.Requeue;
import io.signalbox.inspect.history.RunHistory;
import io.signalbox.report.RunReport;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;

/** One lane for each rank: its busy share as height, the tokens that it computed as colour, and when it was lost. */
final class LanesPart
{
    private static final int HEIGHT = 26;
    private static final int CLASSES = 6;
    /** Lanes beyond this are left out: the table of the page has them. */
    private static final int MOST_LANES = 64;

    private final RunPageInput input;
    private final RunFigures run;
    private final List<Incidents.Down> downs;
    private final double[][] busy;
    private final double[][] speed;

    private record Column(String name, double[] values, DoubleFunction<String> text, boolean fromZero)
    {
    }

    LanesPart(final RunPageInput input, final RunFigures run, final List<Incidents.Down> downs)
    {
        this.input = input;
        this.run = run;
        this.downs = downs;
        final int ranks = input.history().ranks();
        busy = new double[ranks][];
        speed = new double[ranks][];
        for (int rank = 0; rank < ranks; rank++)
        {
            busy[rank] = run.lanes.means(RunHistory.computed(rank));
            speed[rank] = run.lanes.sums(RunHistory.tokens(rank));
        }
    }

    String html()
    {
        final List<Column> columns = columns();
        final double[] tokens = columns.get(1).values;
        final double step = Scale.niceStep(highest(), CLASSES);
        final StringBuilder rows = new StringBuilder();
        for (int rank = 0; rank < Math.min(MOST_LANES, busy.length); rank++)
        {
            rows.append(row(rank, columns, step));
        }
        final StringBuilder ratios = new StringBuilder();
        columns.forEach(column -> ratios.append("<td>").append(PageNumbers.digits(ratio(column.values))).append("</td>"));
        return Markup.finding(finding(tokens)) + keys(step) + "<div class=\"lanewrap\"><table class=\"lanes\"><thead><tr>" +
            "<th scope=\"col\">Rank</th><th scope=\"col\" class=\"l\"><span class=\"vh\">Time</span>" + axis() + "</th>" +
            heads(columns) + "</tr></thead><tbody>" + rows + "</tbody><tfoot><tr><td></td><td class=\"r\">max / mean</td>" +
            ratios + "</tr></tfoot></table></div>" +
            Markup.foot(input.command("rank", "0 --every " + PageNumbers.plain(run.lanes.width)), "Data", data());
    }

    private String finding(final double... tokens)
    {
        final double ratio = ratio(tokens);
        if (Double.isNaN(ratio))
        {
            return "No rank computed anything.";
        }
        int busiest = 0;
        for (int rank = 1; rank < tokens.length; rank++)
        {
            busiest = tokens[rank] > tokens[busiest] ? rank : busiest;
        }
        return (ratio < 1.15 ? "The load is even: the busiest rank computed " : "Rank " + busiest + " computed ") +
            PageNumbers.digits(ratio) + " times the mean." + (busy.length <= MOST_LANES ? "" :
            " The lanes are those of the first " + MOST_LANES + " ranks.");
    }

    private static double ratio(final double... values)
    {
        final double mean = RunFigures.mean(values);
        return mean > 0 ? RunFigures.max(values) / mean : Double.NaN;
    }

    /** The speed that only one in 200 intervals exceeds: a single one should not fade all others. */
    private double highest()
    {
        final double[] all = Arrays.stream(speed).flatMapToDouble(Arrays::stream).sorted().toArray();
        return Math.max(1e-9, all[(int)((all.length - 1) * 0.995)]);
    }

    private double downSeconds(final int rank)
    {
        return downs.stream().filter(down -> down.rank() == rank).mapToDouble(down -> down.to() - down.from()).sum();
    }

    private List<Column> columns()
    {
        final RunReport report = input.report();
        final int ranks = busy.length;
        final double[] requests = new double[ranks];
        final double[] tokens = new double[ranks];
        final double[] hits = new double[ranks];
        final double[] share = new double[ranks];
        final double[] peak = new double[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            final RunReport.RankPrefixCache cache = report.prefixCache().ranks().get(rank);
            requests[rank] = cache.admittedRequests();
            tokens[rank] = report.steps().tokensPerRank().get(rank);
            hits[rank] = cache.tokenHitRate();
            final double up = Math.max(1e-9, run.seconds() - downSeconds(rank));
            double computed = 0;
            for (int i = 0; i < run.lanes.count; i++)
            {
                computed += busy[rank][i] * run.lanes.length(i);
            }
            share[rank] = Math.min(1, computed / up);
            peak[rank] = report.blockOccupancy().get(rank).peak();
        }
        return List.of(new Column("Requests", requests, value -> PageNumbers.count((long)value), true),
            new Column("Computed", tokens, PageNumbers::big, true), new Column("Hits", hits, LanesPart::share, true),
            new Column("Busy", share, LanesPart::share, false), new Column("KV peak", peak, LanesPart::share, false));
    }

    private static String share(final double value)
    {
        return Double.isNaN(value) ? PageNumbers.NO_DATA : PageNumbers.percent(value);
    }

    private static String heads(final List<Column> columns)
    {
        final StringBuilder heads = new StringBuilder();
        columns.forEach(column -> heads.append("<th scope=\"col\">").append(column.name).append("</th>"));
        return heads.toString();
    }

    private String axis()
    {
        final Plot plot = new Plot(14);
        for (final double tick : StripPart.ticks(run.seconds()))
        {
            plot.text(run.x(tick), 12, StripPart.clock(run.seconds()).apply(tick), tick == 0 ? "" : "m");
        }
        return plot.hiddenSvg();
    }

    private static String keys(final double step)
    {
        final StringBuilder scale = new StringBuilder();
        for (int i = 0; i < CLASSES; i++)
        {
            scale.append("<i style=\"background:var(--s").append(i).append(")\"></i>");
        }
        return "<div class=\"rowhead\" style=\"margin-left:0\"><span>Height: share of time the device computed</span>" +
            "<span>Colour: tokens computed per second, 0 <span class=\"scale\">" + scale + "</span> " +
            PageNumbers.big((CLASSES - 1) * step) + " and more</span>" + Markup.key("kd hatchkey", "lost") +
            Markup.key("dot kb", "request started over") + "</div>";
    }

    private String row(final int rank, final List<Column> columns, final double step)
    {
        final StringBuilder cells = new StringBuilder();
        for (int i = 0; i < columns.size(); i++)
        {
            final Column column = columns.get(i);
            final double most = column.fromZero ? RunFigures.max(column.values) : 1;
            final double value = column.values[rank];
            cells.append("<td data-c=\"").append(i).append("\"><span>").append(column.text.apply(value))
                .append("</span><i class=\"bar\" style=\"width:").append(Double.isNaN(value) || most == 0 ? 0 :
                    StrictMath.round(Math.min(1, value / most) * 100)).append("%\"></i></td>");
        }
        return "<tr data-rank=\"" + rank + "\"><th scope=\"row\"><button type=\"button\" class=\"rank\" " +
            "aria-pressed=\"false\">" + rank + "</button></th><td class=\"lane\">" + lane(rank, step) + "</td>" + cells +
            "</tr>";
    }

    private String lane(final int rank, final double step)
    {
        final StringBuilder[] boxes = new StringBuilder[CLASSES];
        Arrays.setAll(boxes, i -> new StringBuilder());
        final double[] edges = run.lanes.edges;
        int at = 0;
        while (at < run.lanes.count)
        {
            final int shade = shade(rank, at, step);
            final long top = top(rank, at);
            int end = at + 1;
            while (end < run.lanes.count && shade(rank, end, step) == shade && top(rank, end) == top)
            {
                end++;
            }
            if (top < HEIGHT - 1)
            {
                boxes[shade].append(Plot.box(edges[at], top, edges[end] - edges[at], HEIGHT - 1.0 - top));
            }
            at = end;
        }
        final Plot plot = new Plot(HEIGHT);
        for (int i = 0; i < CLASSES; i++)
        {
            plot.path("s" + i + " crisp", boxes[i].toString());
        }
        plot.path("base", "M0 " + (HEIGHT - 0.5) + "H" + Plot.WIDTH);
        lost(plot, rank);
        return plot.svg("rank " + rank + ": busy " + PageNumbers.percent(Math.min(1, RunFigures.mean(busy[rank]))) +
            " of the time");
    }

    private int shade(final int rank, final int bin, final double step)
    {
        return (int)Math.min(CLASSES - 1, speed[rank][bin] / step);
    }

    private long top(final int rank, final int bin)
    {
        final double share = Math.min(1, busy[rank][bin]);
        return share <= 0.005 ? HEIGHT - 1 : StrictMath.round(HEIGHT - 1 - share * (HEIGHT - 3));
    }

    private void lost(final Plot plot, final int rank)
    {
        for (final Incidents.Down down : downs)
        {
            if (down.rank() == rank)
            {
                plot.addOuter("<rect x=\"" + Plot.percent(run.x(down.from())) + "\" y=\"1\" width=\"" +
                    Plot.percent(run.x(down.to()) - run.x(down.from())) + "\" height=\"" + (HEIGHT - 2) +
                    "\" fill=\"url(#hatch)\"><title>lost for " +
                    PageNumbers.duration((down.to() - down.from()) * RunFigures.NANOS_PER_SECOND) + ", record " +
                    PageNumbers.count(down.record()) + "</title></rect>");
            }
        }
        final StringBuilder dots = new StringBuilder();
        String last = "";
        for (final Requeue requeue : input.history().requeues())
        {
            final String dot = "M" + Plot.number(run.x(run.second(requeue.timeNanos()))) + " " + HEIGHT / 2 + "h0";
            if (requeue.rank() == rank && !dot.equals(last))
            {
                dots.append(dot);
                last = dot;
            }
        }
        plot.add(dots.isEmpty() ? "" : "<path class=\"dots st-bad\" style=\"stroke-width:5px\" d=\"" + dots + "\"/>");
    }

    private String data()
    {
        final List<Column> columns = columns();
        final List<String[]> rows = new ArrayList<>();
        for (int rank = 0; rank < busy.length; rank++)
        {
            final String[] row = new String[columns.size() + 3];
            row[0] = Integer.toString(rank);
            for (int i = 0; i < columns.size(); i++)
            {
                row[i + 1] = columns.get(i).text.apply(columns.get(i).values[rank]);
            }
            row[columns.size() + 1] = share(input.report().blockOccupancy().get(rank).mean());
            row[columns.size() + 2] = PageNumbers.duration(downSeconds(rank) * RunFigures.NANOS_PER_SECOND);
            rows.add(row);
        }
        return Markup.table(
            new String[]{"rank", "requests", "computed tokens", "hits", "busy", "KV peak", "KV mean", "lost"}, rows);
    }
}
