// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.PastRequest;
import io.signalbox.report.RunReport.Latencies;
import io.signalbox.report.RunReport.LatencySummary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/** Latencies of requests: against the length of the prompt, as percentiles, and where the time to first token goes. */
final class RequestsPart
{
    private static final int SCATTER_HEIGHT = 380;
    private static final int PERCENTILES_HEIGHT = 104;
    private static final int POINTS = 240;
    /** Powers of ten of the scale of percentiles: up to p99.97. */
    private static final double NINES = 3.5;
    private static final double[] MARKED = {0.5, 0.9, 0.99, 0.999};
    private static final double[] SHARES = {0.05, 0.5, 0.95};
    private static final String[] SHARE_NAMES = {"under 5 %", "5\u201350 %", "50\u201395 %", "over 95 %"};
    private static final double[] BANDS = {0, 0.5, 0.9, 0.99, 1};
    private static final String[] BAND_NAMES = {"fastest half", "p50 to p90", "p90 to p99", "slowest 1 %"};

    private final RunPageInput input;
    private final RunFigures run;
    private final List<PastRequest> answered;

    RequestsPart(final RunPageInput input, final RunFigures run)
    {
        this.input = input;
        this.run = run;
        answered = input.history().requests().stream().filter(request -> request.ttftNanos() >= 0).toList();
    }

    String html()
    {
        if (answered.isEmpty())
        {
            return Markup.finding("No request had a first token.");
        }
        final Latencies latency = input.report().latency();
        final Long ttftLimit = run.level() == null ? null : run.level().ttftNanos();
        final Long tpotLimit = run.level() == null ? null : run.level().tpotNanos();
        final Long totalLimit = run.level() == null ? null : run.level().e2eNanos();
        return waiting() + "<div class=\"reqgrid\"><div>" + scatter(ttftLimit) + "</div><div class=\"cdfs\">" +
            percentiles("ttft", "TTFT", times(answered, PastRequest::ttftNanos), ttftLimit) +
            percentiles("tpot", "TPOT", times(answered, PastRequest::tpotNanos), tpotLimit) +
            percentiles("e2e", "End to end", input.history().requests().stream().filter(PastRequest::isCompleted)
                .mapToLong(PastRequest::totalNanos).sorted().toArray(), totalLimit) +
            "</div></div>" + latencies(latency) + "<div style=\"height:26px\"></div>" + bands() +
            Markup.foot(input.command("requests", "--csv"));
    }

    private static long[] times(
        final List<PastRequest> requests, final ToLongFunction<PastRequest> time)
    {
        return requests.stream().mapToLong(time).filter(nanos -> nanos >= 0).sorted().toArray();
    }

    /** Requests of one band of the time to first token, the fastest first. */
    private List<PastRequest> band(final int band)
    {
        final List<PastRequest> sorted = answered.stream().filter(request -> request.queuedNanos() >= 0)
            .sorted(Comparator.comparingLong(PastRequest::ttftNanos).thenComparingLong(PastRequest::id)).toList();
        return sorted.subList((int)(BANDS[band] * sorted.size()), (int)(BANDS[band + 1] * sorted.size()));
    }

    private static double waitingShare(final List<PastRequest> requests)
    {
        final double all = requests.stream().mapToLong(PastRequest::ttftNanos).sum();
        return all == 0 ? 0 : requests.stream().mapToLong(PastRequest::queuedNanos).sum() / all;
    }

    private String waiting()
    {
        final List<PastRequest> slowest = band(BAND_NAMES.length - 1);
        final List<PastRequest> fastest = band(0);
        return slowest.isEmpty() || fastest.isEmpty() ? "" : Markup.finding("In the slowest 1 %, " +
            PageNumbers.percent(waitingShare(slowest), 2) + " of the TTFT is waiting for a rank; in the fastest half it " +
            "is " + PageNumbers.percent(waitingShare(fastest), 2) + ".");
    }

    private static int shareClass(final PastRequest request)
    {
        final double share = request.promptTokens() == 0 ? 0 : (double)request.cachedTokens() / request.promptTokens();
        int shade = 0;
        while (shade < SHARES.length && share >= SHARES[shade])
        {
            shade++;
        }
        return shade;
    }

    /** @param limit {@code null} if there is none. */
    private String scatter(final Long limit)
    {
        final List<PastRequest> drawn = new DrawnRequests(answered).requests();
        final Scale.Logarithmic x = around(0.8, 1.25, 0, Plot.WIDTH,
            drawn.stream().mapToDouble(PastRequest::promptTokens).filter(tokens -> tokens > 0).toArray());
        final Scale.Logarithmic y = around(0.8, 1.5, SCATTER_HEIGHT - 1, 4,
            drawn.stream().mapToDouble(PastRequest::ttftNanos).filter(nanos -> nanos > 0).toArray());
        final Plot plot = new Plot(SCATTER_HEIGHT);
        final StringBuilder grid = new StringBuilder();
        for (final double value : y.ticks(40))
        {
            grid.append("M0 ").append(Plot.number(y.at(value))).append('H').append(Plot.WIDTH);
            plot.addOuter(Plot.textOf("-7", y.at(value) + 3.5, PageNumbers.axisLatency(value), "e", ""));
        }
        for (final double value : x.ticks(250))
        {
            grid.append('M').append(Plot.number(x.at(value))).append(" 0V").append(SCATTER_HEIGHT);
            plot.text(x.at(value), SCATTER_HEIGHT + 15, PageNumbers.plain(value),
                x.at(value) < Plot.WIDTH * 0.97 ? "m" : "e");
        }
        plot.path("grid", grid.toString());
        dots(plot, drawn, x, y);
        if (limit != null)
        {
            plot.path("ln thin dash st-bad", "M0 " + Plot.number(y.at(limit)) + "H" + Plot.WIDTH);
            plot.addOuter(Plot.textOf("6", y.at(limit) - 5, "limit " + PageNumbers.duration(limit, 2), "halo",
                " style=\"fill:var(--badt)\""));
        }
        final StringBuilder keys = new StringBuilder();
        for (int i = 0; i < SHARE_NAMES.length; i++)
        {
            keys.append("<span class=\"key dotkey\" style=\"--kc:var(--d").append(i).append(")\">").append(SHARE_NAMES[i])
                .append("</span>");
        }
        return "<figure id=\"scatter\"><div class=\"rowhead\"><b>TTFT by prompt length</b><span id=\"sc-keys\">" +
            "cached share of the prompt: " + keys + "</span></div><div class=\"plot\" style=\"padding-bottom:20px\">" +
            plot.svg(
            "TTFT against prompt tokens, both logarithmic, one dot per request, coloured by the cached share of the prompt",
            drawn(drawn.size())) + "</div><div class=\"xlabel\">prompt tokens</div></figure>";
    }

    private String drawn(final int count)
    {
        return PageNumbers.plural(count, "request") + (count < answered.size() ? " of " + PageNumbers.count(
            answered.size()) + ": those beyond the p99, failed, preempted or restarted ones, and a sample" : "") +
            "; dots that coincide are drawn once";
    }

    private static Scale.Logarithmic around(
        final double below, final double above, final double low, final double high, final double... values)
    {
        final double least = Arrays.stream(values).min().orElse(1);
        return Scale.Logarithmic.around(least * below, Math.max(RunFigures.max(values), least) * above, low, high);
    }

    private static void dots(
        final Plot plot, final List<PastRequest> drawn, final Scale.Logarithmic x, final Scale.Logarithmic y)
    {
        final List<TreeSet<Long>> classes = new ArrayList<>();
        for (int i = 0; i < SHARE_NAMES.length; i++)
        {
            classes.add(new TreeSet<>());
        }
        for (final PastRequest request : drawn)
        {
            // Four units are two pixels: closer dots look like one.
            final long across = StrictMath.round(x.at(request.promptTokens()) / 4) * 4;
            classes.get(shareClass(request)).add(across << 16 | StrictMath.round(y.at(request.ttftNanos())));
        }
        final List<Integer> order = new ArrayList<>(List.of(0, 1, 2, 3));
        order.sort(Comparator.comparingInt((Integer shade) -> -classes.get(shade).size()));
        order.forEach(shade -> plot.path("dots d" + shade, dots(classes.get(shade))));
    }

    /** Round dots as one path of empty strokes, by relative moves: six to eight bytes a dot. */
    private static String dots(final TreeSet<Long> points)
    {
        final StringBuilder path = new StringBuilder();
        long lastX = 0;
        long lastY = 0;
        for (final long point : points)
        {
            final long x = point >> 16;
            final long y = point & 0xFFFF;
            if (path.isEmpty())
            {
                path.append('M').append(x).append(' ').append(y);
            }
            else
            {
                path.append('m').append(x - lastX).append(y >= lastY ? " " : "").append(y - lastY);
            }
            path.append("h0");
            lastX = x;
            lastY = y;
        }
        return path.toString();
    }

    private static double height(final double part)
    {
        return PERCENTILES_HEIGHT - 6 -
            -StrictMath.log10(1 - Math.min(part, 0.9997)) / NINES * (PERCENTILES_HEIGHT - 12);
    }

    /** @param limit {@code null} if there is none. */
    private String percentiles(final String key, final String name, final long[] sorted, final Long limit)
    {
        if (sorted.length == 0)
        {
            return "<figure class=\"cdf\"><div class=\"rowhead\"><b>" + name + "</b><span>no values</span></div></figure>";
        }
        final Scale.Logarithmic x = Scale.Logarithmic.around(Math.max(1000, RunFigures.quantile(sorted, 0.002)) * 0.9,
            Math.max(1000, sorted[sorted.length - 1]) * 1.1, 0, Plot.WIDTH);
        final Plot plot = new Plot(PERCENTILES_HEIGHT);
        grid(plot, x);
        plot.add("<path class=\"ln st-work\" style=\"stroke-width:2\" d=\"" + curve(sorted, x) + "\"/>");
        final StringBuilder label = new StringBuilder(name + ": percentiles");
        for (final double part : MARKED)
        {
            final double value = RunFigures.quantile(sorted, part);
            label.append(", p").append(PageNumbers.plain(part * 100)).append(' ').append(PageNumbers.duration(value));
            if (part < 0.999)
            {
                final boolean isRight = x.at(value) > Plot.WIDTH * 0.72;
                plot.addOuter("<circle cx=\"" + Plot.percent(x.at(value)) + "\" cy=\"" + Plot.number(height(part)) +
                    "\" r=\"3\" class=\"f-work\"/>").addOuter(Plot.textOf(Plot.percent(x.at(value)), height(part) - 5,
                    PageNumbers.duration(value), isRight ? "halo h e" : "halo h", isRight ? " dx=\"-6\"" : " dx=\"6\""));
            }
        }
        String note = "";
        if (limit != null)
        {
            plot.path("ln thin dash st-bad", "M" + Plot.number(x.at(limit)) + " 0V" + PERCENTILES_HEIGHT);
            final long within = Arrays.stream(sorted).filter(nanos -> nanos <= limit).count();
            note = "<span>" + PageNumbers.percent((double)within / sorted.length) + " within " +
                PageNumbers.duration(limit, 2) + "</span>";
        }
        return "<figure class=\"cdf\" data-cdf=\"" + key + "\"><div class=\"rowhead\"><b>" + name + "</b>" + note +
            "</div><div class=\"plot\" style=\"padding-bottom:18px\">" + plot.svg(label.toString()) + "</div></figure>";
    }

    private static void grid(final Plot plot, final Scale.Logarithmic x)
    {
        final StringBuilder lines = new StringBuilder();
        for (final double part : MARKED)
        {
            lines.append("M0 ").append(Plot.number(height(part))).append('H').append(Plot.WIDTH);
            plot.addOuter(Plot.textOf("-7", height(part) + 3.5, "p" + PageNumbers.plain(part * 100), "e", ""));
        }
        for (final double tick : x.ticks(260))
        {
            lines.append('M').append(Plot.number(x.at(tick))).append(" 0V").append(PERCENTILES_HEIGHT);
            plot.text(x.at(tick), PERCENTILES_HEIGHT + 14, PageNumbers.axisLatency(tick),
                x.at(tick) > Plot.WIDTH * 0.95 ? "e" : x.at(tick) > Plot.WIDTH * 0.04 ? "m" : "");
        }
        plot.path("grid", lines.toString());
    }

    /** Percentiles on a scale of nines, on which the last percent has as much room as the half below the median needs. */
    private static String curve(final long[] sorted, final Scale.Logarithmic x)
    {
        final StringBuilder curve = new StringBuilder();
        String last = "";
        for (int i = 0; i <= POINTS; i++)
        {
            final double part = 1 - StrictMath.pow(10, -NINES * i / POINTS);
            final String point = Plot.number(StrictMath.round(x.at(RunFigures.quantile(sorted, part)))) + " " +
                Plot.number(height(part));
            if (!point.equals(last))
            {
                curve.append(last.isEmpty() ? "M" : "L").append(point);
            }
            last = point;
        }
        return curve.toString();
    }

    private static String latencies(final Latencies latency)
    {
        return "<div class=\"scroll plain\" tabindex=\"0\" role=\"region\" aria-label=\"latency percentiles\"><table " +
            "class=\"lat\"><thead><tr><th scope=\"col\" class=\"l\">Latency</th><th scope=\"col\">mean</th><th " +
            "scope=\"col\">p50</th><th scope=\"col\">p90</th><th scope=\"col\">p99</th><th scope=\"col\">max</th><th " +
            "scope=\"col\">values</th></tr></thead><tbody>" + row("TTFT", latency.ttft()) + row("TPOT", latency.tpot()) +
            row("ITL", latency.itl()) + row("End to end", latency.e2e()) + "</tbody></table></div>";
    }

    private static String row(final String name, final LatencySummary summary)
    {
        final StringBuilder cells = new StringBuilder();
        for (final Number nanos : new Number[]{
            summary.meanNanos(), summary.p50Nanos(), summary.p90Nanos(), summary.p99Nanos(), summary.maxNanos()})
        {
            cells.append("<td>").append(PageNumbers.duration(HeadPart.nanos(nanos), 4)).append("</td>");
        }
        return "<tr><th scope=\"row\" class=\"l\">" + name + "</th>" + cells + "<td class=\"muted\">" +
            PageNumbers.count(summary.count()) + "</td></tr>";
    }

    private String bands()
    {
        final StringBuilder rows = new StringBuilder();
        for (int i = 0; i < BAND_NAMES.length; i++)
        {
            final List<PastRequest> band = band(i);
            if (band.isEmpty())
            {
                continue;
            }
            final double waiting = waitingShare(band);
            final double ttft = band.stream().mapToLong(PastRequest::ttftNanos).average().orElse(Double.NaN);
            final double computed = band.stream()
                .mapToLong(request -> request.promptTokens() - request.cachedTokens()).average().orElse(Double.NaN);
            rows.append("<tr><th scope=\"row\" class=\"l\">").append(BAND_NAMES[i]).append("</th><td>")
                .append(PageNumbers.count(band.size())).append("</td><td>")
                .append(PageNumbers.count(StrictMath.round(computed))).append("</td><td><b>")
                .append(PageNumbers.duration(ttft)).append("</b></td><td class=\"stack\"><div class=\"hstack\">")
                .append(part("f-wait", waiting)).append(part("f-work", 1 - waiting)).append("</div></td><td>")
                .append(PageNumbers.duration(ttft * waiting)).append("</td><td>")
                .append(PageNumbers.duration(ttft * (1 - waiting))).append("</td></tr>");
        }
        return "<figure><div class=\"rowhead\" style=\"margin-left:0\"><b>Where the TTFT goes</b>" +
            Markup.key("ka", "waiting for a rank") + Markup.key("kw", "from admission to the first token") +
            "</div><div class=\"scroll plain\" tabindex=\"0\" role=\"region\" aria-label=\"parts of the TTFT\"><table " +
            "class=\"falls\"><thead><tr><th scope=\"col\" class=\"l\">TTFT</th><th scope=\"col\">Requests</th><th " +
            "scope=\"col\">Computed tokens</th><th scope=\"col\">Mean TTFT</th><th scope=\"col\" class=\"l\">Share of the " +
            "TTFT</th><th scope=\"col\">Waiting</th><th scope=\"col\">Computing</th></tr></thead><tbody>" + rows +
            "</tbody></table></div></figure>";
    }

    private static String part(final String style, final double share)
    {
        return "<i class=\"" + style + "\" style=\"width:" + Plot.percent(share * Plot.WIDTH) + "\"></i>";
    }
}
