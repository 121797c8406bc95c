// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.LifeEvent;
import io.signalbox.inspect.history.PastRequest;
import io.signalbox.inspect.history.Requeue;

import java.util.Comparator;
import java.util.List;

/** The slowest requests: the life of each, and the scores that placed it. */
final class SlowestPart
{
    private static final int MOST = 50;
    private static final String[][] COLUMNS = {{"no", ""}, {"id", "Request"}, {"sub", "Arrived"}, {"ten", "Tenant"},
        {"rk", "Rank"}, {"pr", "Prompt"}, {"ca", "Cached"}, {"ou", "Output"}, {"tt", "TTFT"}, {"tp", "TPOT"},
        {"to", "End to end"}};

    private final RunPageInput input;
    private final RunFigures run;
    private final List<PastRequest> slowest;
    private final double usualTpot;

    SlowestPart(final RunPageInput input, final RunFigures run)
    {
        this.input = input;
        this.run = run;
        slowest = input.history().requests().stream().filter(request -> request.totalNanos() > 0)
            .sorted(Comparator.comparingLong(PastRequest::totalNanos).reversed().thenComparingLong(PastRequest::id))
            .limit(MOST).toList();
        usualTpot = RunFigures.quantile(input.history().requests(), 0.5, PastRequest::tpotNanos);
    }

    String html()
    {
        if (slowest.isEmpty())
        {
            return Markup.finding("No request ended.");
        }
        final double most = slowest.get(0).totalNanos();
        final StringBuilder rows = new StringBuilder();
        for (int i = 0; i < slowest.size(); i++)
        {
            rows.append(row(slowest.get(i), i, most));
        }
        return Markup.finding("The slowest request took " + PageNumbers.duration(most) +
            ". Open a row for the score of each rank.") + "<div class=\"rowhead\" style=\"margin-left:0\">" +
            Markup.key("ka", "waiting") + Markup.key("kw", "prefill") + Markup.key("ks", "decode at the median TPOT") +
            Markup.key("kq", "slower decode") + Markup.key("ring kb", "started over") + "<span class=\"tkeys\">Scores, " +
            "the lowest wins: " + ScoreChart.keys() + "</span></div><div class=\"slist\"><div class=\"sl slhead\"><div " +
            "class=\"slrow\">" + heads() + "<span class=\"lb\">" + axis(most) + "</span></div></div><div id=\"slrows\">" +
            rows + "</div></div>" + Markup.foot(input.command("requests", "--slowest " + MOST));
    }

    private static String heads()
    {
        final StringBuilder heads = new StringBuilder();
        for (final String[] column : COLUMNS)
        {
            heads.append("<span class=\"").append(column[0]).append("\">").append(column[1]).append("</span>");
        }
        return heads.toString();
    }

    private static String axis(final double most)
    {
        final Plot plot = new Plot(14);
        for (final double tick : StripPart.ticks(most / RunFigures.NANOS_PER_SECOND * 1.4))
        {
            final double at = tick * RunFigures.NANOS_PER_SECOND / most;
            if (at < 0.93)
            {
                plot.text(at * Plot.WIDTH, 11, PageNumbers.axisSeconds(tick), tick == 0 ? "" : "m");
            }
        }
        return plot.hiddenSvg();
    }

    private String row(final PastRequest request, final int number, final double most)
    {
        final double cached = request.promptTokens() == 0 ? 0 : (double)request.cachedTokens() / request.promptTokens();
        final String[] values = {Integer.toString(number + 1), PageNumbers.count(request.id()),
            StripPart.clock(run.seconds()).apply(run.submitted(request)), Markup.escaped(request.tenant()),
            request.rank() < 0 ? PageNumbers.NO_DATA : Integer.toString(request.rank()),
            PageNumbers.count(request.promptTokens()), StrictMath.round(cached * 100) + " %",
            PageNumbers.count(request.tokens()), time(request.ttftNanos()), time(request.tpotNanos()),
            time(request.totalNanos())};
        final StringBuilder cells = new StringBuilder();
        for (int i = 0; i < values.length; i++)
        {
            cells.append("<span class=\"").append(COLUMNS[i][0]).append("\">").append(values[i]).append("</span>");
        }
        return "<details class=\"sl\" data-id=\"" + request.id() + "\"" + (number == 0 ? " open" : "") + "><summary>" +
            cells + "<span class=\"lb\">" + life(request, most) + "</span></summary><div class=\"slbody\">" +
            words(request) + placements(request) + Markup.foot(input.command("request", Long.toString(request.id()))) +
            "</div></details>";
    }

    private static String time(final long nanos)
    {
        return nanos < 0 ? PageNumbers.NO_DATA : PageNumbers.duration(nanos);
    }

    private static long queued(final PastRequest request)
    {
        return request.queuedNanos() < 0 ? request.totalNanos() : request.queuedNanos();
    }

    private static long firstToken(final PastRequest request)
    {
        return request.ttftNanos() < 0 ? request.totalNanos() : request.ttftNanos();
    }

    private double usualDecode(final PastRequest request)
    {
        final double decode = request.totalNanos() - firstToken(request);
        return Double.isNaN(usualTpot) ? decode : Math.min(decode, usualTpot * Math.max(0, request.tokens() - 1));
    }

    private String life(final PastRequest request, final double most)
    {
        final double decode = request.totalNanos() - firstToken(request);
        final double usual = usualDecode(request);
        final String[] styles = {"lw", "lp", "ld", "ls"};
        final double[] parts =
            {queued(request), firstToken(request) - queued(request), usual, decode - usual};
        final StringBuilder life = new StringBuilder("<span class=\"life\">");
        for (int i = 0; i < parts.length; i++)
        {
            if (parts[i] / most > 0.0004)
            {
                life.append("<i class=\"").append(styles[i]).append("\" style=\"width:")
                    .append(Plot.percent(parts[i] / most * Plot.WIDTH)).append("\"></i>");
            }
        }
        for (final Requeue requeue : input.history().requeues())
        {
            if (requeue.requestId() == request.id())
            {
                life.append("<b style=\"left:")
                    .append(Plot.percent((requeue.timeNanos() - request.submitNanos()) / most * Plot.WIDTH))
                    .append("\"></b>");
            }
        }
        return life.append("</span>").toString();
    }

    private String words(final PastRequest request)
    {
        final double decode = request.totalNanos() - firstToken(request);
        final double slower = decode - usualDecode(request);
        return "<p class=\"lifetext\">Waited " + PageNumbers.duration(queued(request)) + "; " +
            PageNumbers.duration(firstToken(request) - queued(request)) + " from admission to the first token, with " +
            PageNumbers.count(request.promptTokens() - request.cachedTokens()) + " tokens to compute; then " +
            PageNumbers.plural(request.tokens(), "token") + " in " + PageNumbers.duration(decode) +
            (slower > decode * 0.05 ? ", " + PageNumbers.duration(slower) + " longer than at the median TPOT" : "") +
            ". End: " + Markup.escaped(request.end()) + ".</p>";
    }

    private String placements(final PastRequest request)
    {
        final StringBuilder placements = new StringBuilder();
        for (final LifeEvent.Placed placed : request.placements())
        {
            final String at = StripPart.clock(run.seconds()).apply(run.second(placed.timeNanos()));
            final String verb = placements.isEmpty() ? "Placed" : "Started over: placed";
            placements.append("<div class=\"placing\"><p><b>").append(verb).append(" on rank ").append(placed.rank())
                .append(" at ").append(at)
                .append(".</b> ").append(ScoreChart.why(placed, input.history().ranks())).append("</p>")
                .append(ScoreChart.html(placed)).append("</div>");
        }
        return placements.toString();
    }
}
