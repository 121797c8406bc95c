// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.PastRequest;
import io.signalbox.inspect.history.RunHistory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.stream.IntStream;

/** The time strip: what happened when. Its charts share one axis; marks name the events. */
final class StripPart
{
    private static final int MARK_HEIGHT = 24;
    private static final int AXIS_HEIGHT = 18;
    /** Seconds between the labels of a time axis, the shortest first. */
    private static final double[] TICKS = {1e-6, 1e-5, 1e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
        15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000,
        31_536_000, 315_360_000, 3_153_600_000.0};
    private static final double MOST_TICKS = 7.5;

    private final RunPageInput input;
    private final RunFigures run;
    private final List<Incident> incidents;
    private final List<Incidents.Down> downs;

    StripPart(
        final RunPageInput input, final RunFigures run, final List<Incident> incidents,
        final List<Incidents.Down> downs)
    {
        this.input = input;
        this.run = run;
        this.incidents = incidents;
        this.downs = downs;
    }

    /** Pale bands while ranks were lost, under the data of every chart over time. */
    static String spans(final RunFigures run, final List<Incidents.Down> downs, final int height)
    {
        final StringBuilder boxes = new StringBuilder();
        double end = -1;
        for (final Incidents.Down down : downs)
        {
            final double from = Math.max(end, run.x(down.from()));
            final double to = run.x(down.to());
            if (to > from)
            {
                boxes.append(Plot.box(from, 0, to - from, height));
                end = to;
            }
        }
        return Plot.pathOf("down", boxes.toString());
    }

    String html()
    {
        final String rows = arrivals() + inSystem() + ttft() + hits() + blocks();
        return finding() + "<figure class=\"strip\" id=\"strip\"><div class=\"plot\" style=\"margin-top:4px\">" + marks() +
            "</div><div class=\"stripbody\" data-brush>" + rows + axis() + "</div></figure>" +
            Markup.foot(input.command("series", "--every " + PageNumbers.plain(run.rates.width) + " --rank all"),
                "Data", data()) + events();
    }

    private String finding()
    {
        final RunHistory history = input.history();
        final StringBuilder words = new StringBuilder(history.mostWaiting() == 0 ? "No request waited." :
            "At most " + PageNumbers.plural(history.mostWaiting(), "request") + " waited, at " +
                PageNumbers.clock(run.second(history.mostWaitingNanos())) + ".");
        final List<Incident> lost = incidents.stream().filter(incident -> incident.kind() == Incident.Kind.LOST).toList();
        if (!lost.isEmpty())
        {
            final List<String> grew = lost.stream().filter(incident -> incident.calm() > incident.to() + run.levels.width)
                .map(Incident::letter).toList();
            words.append(" Ranks were lost ").append(lost.size() == 1 ? "once" : lost.size() == 2 ? "twice" :
                lost.size() + " times").append(grew.isEmpty() ? "; queues stayed normal." :
                "; queues grew after " + String.join(", ", grew) + ".")
                .append(" Pale bands show lost ranks; a dotted bar lasts until queues were back to normal.");
        }
        return Markup.finding(words.toString());
    }

    private String marks()
    {
        final Plot plot = new Plot(MARK_HEIGHT);
        for (final Incident incident : incidents)
        {
            final String at = Plot.percent(run.x(incident.from()));
            final String role = incident.kind().role;
            plot.addOuter("<a href=\"#ev-" + incident.letter() + "\"><circle cx=\"" + at +
                "\" cy=\"9\" r=\"8.5\" class=\"f-" + (role.equals("wait") ? "waitt" : role) + "\"/><text x=\"" + at +
                "\" y=\"13\" class=\"m flag\" style=\"fill:var(--bg)\">" + incident.letter() + "</text><title>" +
                incident.letter() + ": " + Markup.escaped(incident.what()) + ", record " +
                PageNumbers.count(incident.record()) + "</title></a>");
            plot.add(bar(role, incident.from(), incident.to(), ""));
            plot.add(bar(role, incident.to(), incident.calm(), ";stroke-dasharray:2 2"));
        }
        return plot.groupSvg("events of the run");
    }

    private String bar(final String role, final double from, final double to, final String dashes)
    {
        return run.x(to) - run.x(from) < 1 ? "" : "<path class=\"ln st-" + role + "\" style=\"stroke-width:3" + dashes +
            "\" d=\"M" + Plot.number(run.x(from)) + " 21.5H" + Plot.number(run.x(to)) + "\"/>";
    }

    private String row(final String label, final String heading, final String keys, final Plot plot, final int height)
    {
        final StringBuilder lines = new StringBuilder();
        for (final Incident incident : incidents)
        {
            if (incident.kind() != Incident.Kind.LOST)
            {
                lines.append(Plot.pathOf("ln thin st-" + incident.kind().role,
                    "M" + Plot.number(run.x(incident.from())) + " 0V" + height));
            }
        }
        return "<div class=\"rowhead\"><b>" + heading + "</b>" + keys + "</div><div class=\"plot\">" +
            plot.add(lines.toString()).svg(label) + "</div>";
    }

    private Plot plot(final int height)
    {
        return new Plot(height).add(spans(run, downs, height));
    }

    private String arrivals()
    {
        final int height = 62;
        final double[] arriving = arriving();
        final double[] completing = completing();
        final Scale.Linear scale = Scale.Linear.of(
            Math.max(RunFigures.max(arriving), RunFigures.max(completing)) * 1.02, height - 1, 3, 3);
        final double[] edges = run.rates.edges;
        final Plot plot = plot(height).leftAxis(scale, scale.ticks(), PageNumbers::plain)
            .path("band", Plot.area(edges, Plot.positions(scale, completing), flat(scale, completing.length)))
            .path("ln st-quiet", Plot.steps(edges, Plot.positions(scale, arriving)));
        return row("requests per second: arrivals and completions", "Requests per second",
            Markup.key("line kq", "arriving") + Markup.key("kw2", "completing"), plot, height);
    }

    private double[] arriving()
    {
        return run.perSecond(run.rates, run.rates.requests(run::submitted), request -> true);
    }

    private double[] completing()
    {
        return run.perSecond(run.rates, run.rates.requests(run::ended), PastRequest::isCompleted);
    }

    private static double[] flat(final Scale scale, final int count)
    {
        final double[] zero = new double[count];
        Arrays.fill(zero, scale.at(0));
        return zero;
    }

    private String inSystem()
    {
        final int height = 88;
        final double[] running = run.levels.means(RunHistory.RUNNING);
        final double[] waiting = run.levels.means(RunHistory.WAITING);
        final double[] paused = run.levels.means(RunHistory.PAUSED);
        final double[] all = new double[running.length];
        Arrays.setAll(all, i -> running[i] + waiting[i]);
        final Scale.Linear scale = Scale.Linear.of(RunFigures.max(all) * 1.02, height - 1, 3, 4);
        final double[] edges = run.levels.edges;
        final Plot plot = plot(height).leftAxis(scale, scale.ticks(), PageNumbers::plain)
            .path("f-work2", Plot.area(edges, Plot.positions(scale, running), flat(scale, running.length)))
            .path("f-wait", Plot.area(edges, Plot.positions(scale, all), Plot.positions(scale, running)))
            .path("ln thin st-mark", RunFigures.max(paused) == 0 ? "" : Plot.steps(edges, Plot.positions(scale, paused)));
        return row("requests in the system: running and waiting", "Requests in the system",
            Markup.key("kw2", "running") + Markup.key("ka", "waiting") + (RunFigures.max(paused) == 0 ?
                "<span>paused: none</span>" : Markup.key("line km", "paused")), plot, height);
    }

    private String ttft()
    {
        final int height = 88;
        final List<List<PastRequest>> bins = run.rates.requests(run::submitted);
        final double[] median = RunFigures.quantiles(bins, 0.5, PastRequest::ttftNanos);
        final double[] tail = RunFigures.quantiles(bins, 0.99, PastRequest::ttftNanos);
        final double least = Arrays.stream(median).filter(value -> value > 0).min().orElse(1e6);
        final Scale.Logarithmic scale = Scale.Logarithmic.around(
            least * 0.8, Math.max(RunFigures.max(tail), least) * 1.1, height - 1, 3);
        final double[] edges = run.rates.edges;
        final Plot plot = plot(height).leftAxis(scale, scale.ticks(15), PageNumbers::axisLatency)
            .path("band", Plot.area(edges, Plot.positions(scale, tail), Plot.positions(scale, median)))
            .path("ln st-work", Plot.steps(edges, Plot.positions(scale, median)));
        String limit = "";
        if (run.level() != null && run.level().ttftNanos() != null)
        {
            plot.path("ln thin dash st-bad", "M0 " + Plot.number(scale.at(run.level().ttftNanos())) + "H" + Plot.WIDTH);
            limit = Markup.key("dashed kb", "limit " + PageNumbers.duration(run.level().ttftNanos(), 2));
        }
        return row("TTFT of the requests submitted in each interval: median and p99, logarithmic", "TTFT",
            Markup.key("line kw", "median") + Markup.key("kw2", "up to p99") + limit, plot, height);
    }

    private String hits()
    {
        final int height = 54;
        final double[] hits = hitRates();
        final Scale.Linear scale = Scale.Linear.of(RunFigures.max(hits) * 1.02, height - 1, 3, 3);
        final Plot plot = plot(height).leftAxis(scale, scale.ticks(), StripPart::share)
            .path("ln st-work", Plot.steps(run.rates.edges, Plot.positions(scale, hits)));
        return row("share of prompt tokens found in the prefix cache", "Prefix hits",
            "<span>of prompt tokens, at admission</span>", plot, height);
    }

    private double[] hitRates()
    {
        return run.rates.requests(run::admitted).stream().mapToDouble(RunFigures::hitRate).toArray();
    }

    private static String share(final double value)
    {
        return PageNumbers.plain(value * 100) + " %";
    }

    /** The share of KV blocks in use of the ranks that were not lost: lowest, mean and highest. */
    private double[][] blockShares()
    {
        final double[][] shares = new double[3][run.levels.count];
        final double[][] ranks = new double[input.history().ranks()][];
        Arrays.setAll(ranks, rank -> run.levels.means(RunHistory.blocks(rank)));
        for (int i = 0; i < run.levels.count; i++)
        {
            final double from = i * run.levels.width;
            final double to = from + run.levels.width;
            final int bin = i;
            final double[] here = IntStream.range(0, ranks.length).filter(rank -> downs.stream()
                .noneMatch(down -> down.rank() == rank && down.from() < to && down.to() > from))
                .mapToDouble(rank -> ranks[rank][bin] / input.history().blocksPerRank()).toArray();
            shares[0][i] = Arrays.stream(here).min().orElse(Double.NaN);
            shares[1][i] = RunFigures.mean(here);
            shares[2][i] = here.length == 0 ? Double.NaN : RunFigures.max(here);
        }
        return shares;
    }

    private String blocks()
    {
        final int height = 54;
        final double[][] shares = blockShares();
        final double most = RunFigures.max(shares[2]);
        final Scale.Linear scale = Scale.Linear.of(most > 0.6 ? 1 : most * 1.02, height - 1, 3, 2);
        final double[] edges = run.levels.edges;
        final Plot plot = plot(height).leftAxis(scale, scale.ticks(), StripPart::share)
            .path("band", Plot.area(edges, Plot.positions(scale, shares[2]), Plot.positions(scale, shares[0])))
            .path("ln st-work", Plot.steps(edges, Plot.positions(scale, shares[1])));
        return row("KV blocks in use: lowest, mean and highest rank", "KV blocks in use",
            Markup.key("line kw", "mean of the ranks") + Markup.key("kw2", "lowest to highest rank"), plot, height);
    }

    /** The labels of a time axis, in seconds from the origin. */
    static double[] ticks(final double seconds)
    {
        double step = TICKS[TICKS.length - 1];
        for (int i = TICKS.length - 1; i >= 0 && seconds / TICKS[i] <= MOST_TICKS; i--)
        {
            step = TICKS[i];
        }
        final double[] ticks = new double[(int)(seconds / step) + 1];
        for (int i = 0; i < ticks.length; i++)
        {
            ticks[i] = i * step;
        }
        return ticks;
    }

    /** A time as a label: minutes and seconds, or in a short run seconds or milliseconds. */
    static DoubleFunction<String> clock(final double seconds)
    {
        return seconds >= 10 ? PageNumbers::clock : seconds >= 1e-2 ? at -> at == 0 ? "0" : PageNumbers.plain(at) + " s" :
            at -> at == 0 ? "0" : PageNumbers.plain(at * 1e3) + " ms";
    }

    private String axis()
    {
        final Plot plot = new Plot(AXIS_HEIGHT);
        final StringBuilder lines = new StringBuilder();
        for (final double tick : ticks(run.seconds()))
        {
            lines.append('M').append(Plot.number(run.x(tick))).append(" 0v5");
            plot.text(run.x(tick), 16, clock(run.seconds()).apply(tick), tick == 0 ? "" : "m");
        }
        return "<div class=\"plot axis\">" + plot.path("base", lines + "M0 .5H" + Plot.WIDTH).hiddenSvg() + "</div>";
    }

    private String data()
    {
        final List<List<PastRequest>> bins = run.rates.requests(run::submitted);
        final double[] arriving = arriving();
        final double[] completing = completing();
        final double[] running = run.rates.means(RunHistory.RUNNING);
        final double[] waiting = run.rates.means(RunHistory.WAITING);
        final double[] hits = hitRates();
        final List<String[]> rows = new ArrayList<>();
        for (int i = 0; i < bins.size(); i++)
        {
            final double met = run.metShare(bins.get(i));
            rows.add(new String[]{clock(run.seconds()).apply(i * run.rates.width), PageNumbers.digits(arriving[i]),
                PageNumbers.digits(completing[i]), PageNumbers.digits(running[i]), PageNumbers.digits(waiting[i]),
                PageNumbers.duration(RunFigures.quantile(bins.get(i), 0.5, PastRequest::ttftNanos)),
                PageNumbers.duration(RunFigures.quantile(bins.get(i), 0.99, PastRequest::ttftNanos)),
                Double.isNaN(hits[i]) ? PageNumbers.NO_DATA : PageNumbers.percent(hits[i]),
                Double.isNaN(met) ? PageNumbers.NO_DATA : PageNumbers.percent(met)});
        }
        return Markup.table(new String[]{"from", "arriving /s", "completing /s", "running", "waiting", "TTFT p50",
            "TTFT p99", "hits", "meet limits"}, rows);
    }

    private String events()
    {
        if (incidents.isEmpty())
        {
            return "";
        }
        final StringBuilder rows = new StringBuilder();
        for (final Incident incident : incidents)
        {
            final String what = incident.what();
            final String role = incident.kind().role;
            final DoubleFunction<String> clock = clock(run.seconds());
            rows.append("<tr id=\"ev-").append(incident.letter()).append("\" data-from=\"")
                .append(Plot.number(incident.from())).append("\" data-to=\"")
                .append(Plot.number(Math.max(incident.to(), incident.calm()))).append("\"><td><span class=\"badge")
                .append(role.equals("mark") ? " m" : role.equals("wait") ? " w" : "").append("\">")
                .append(incident.letter()).append("</span></td><td class=\"t\">").append(clock.apply(incident.from()))
                .append(run.x(incident.to()) - run.x(incident.from()) < 1 ? "" : "\u2013" + clock.apply(incident.to()))
                .append("</td><td><b>").append(Markup.escaped(Character.toUpperCase(what.charAt(0)) + what.substring(1)))
                .append("</b><br><span class=\"muted\">record ").append(PageNumbers.count(incident.record()))
                .append("</span></td><td>").append(effect(incident)).append("</td></tr>");
        }
        return "<table class=\"events\"><thead><tr><th scope=\"col\"><span class=\"vh\">mark</span></th><th scope=\"col\" " +
            "style=\"width:112px\">Time</th><th scope=\"col\" style=\"width:31%\">Event</th><th scope=\"col\">Effect</th>" +
            "</tr></thead><tbody>" + rows + "</tbody></table>";
    }

    private String effect(final Incident incident)
    {
        final List<String> sentences = new ArrayList<>();
        sentences.add(incident.restarted().isEmpty() ? "No request started over." :
            PageNumbers.plural(incident.restarted().size(), "request") + " started over.");
        if (incident.kind() == Incident.Kind.LOST)
        {
            sentences.add(missed(incident) + " median TTFT " + PageNumbers.duration(RunFigures.quantile(
                incident.arrived(), 0.5, PastRequest::ttftNanos)) + "; at most " +
                PageNumbers.digits(incident.mostWaiting(), 2) + " waiting (mean of " +
                PageNumbers.axisSeconds(run.levels.width) + ").");
            sentences.add(incident.calm() > incident.to() + run.levels.width ?
                "Queues were back to normal at " + clock(run.seconds()).apply(incident.calm()) + "." :
                "Queues stayed normal.");
        }
        if (incident.kind() == Incident.Kind.NEW_WEIGHTS)
        {
            sentences.add("The caches were emptied: hits " + hitsIn(incident.from() - span(), incident.from()) + " in the " +
                PageNumbers.axisSeconds(span()) + " before, " +
                hitsIn(incident.from(), incident.from() + span()) + " after.");
        }
        return Markup.escaped(String.join(" ", sentences));
    }

    private String missed(final Incident incident)
    {
        final int arrived = incident.arrived().size();
        if (run.level() == null)
        {
            return PageNumbers.plural(arrived, "request") + " arrived until then;";
        }
        final long missed = incident.arrived().stream()
            .filter(request -> request.isCounted() && !request.isWithin(run.level())).count();
        return PageNumbers.count(missed) + " of the " + PageNumbers.plural(arrived, "request") +
            " that arrived until then missed a limit;";
    }

    private double span()
    {
        return 10 * run.rates.width;
    }

    private String hitsIn(final double from, final double to)
    {
        final double rate = RunFigures.hitRate(input.history().requests().stream()
            .filter(request -> run.admitted(request) >= from && run.admitted(request) < to).toList());
        return Double.isNaN(rate) ? PageNumbers.NO_DATA : PageNumbers.percent(rate);
    }
}
