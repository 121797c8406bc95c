// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.PastRequest;
import io.signalbox.inspect.history.RunHistory;
import io.signalbox.printing.Verdict;
import io.signalbox.report.RunReport;
import io.signalbox.report.RunReport.LatencySummary;

import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The top of the page of a run: what was run, verdicts, what an operator would tell a colleague, and six figures. */
final class HeadPart
{
    private static final int SPARK_HEIGHT = 34;
    private static final double LONG_QUEUE_SECONDS = 10;
    /** An event that fewer requests missed their limits for is not worth the first sentence. */
    private static final int WORTH_TELLING = 20;

    private final RunPageInput input;
    private final RunFigures run;
    private final List<Incident> incidents;
    private final List<Incidents.Down> downs;

    HeadPart(
        final RunPageInput input, final RunFigures run, final List<Incident> incidents,
        final List<Incidents.Down> downs)
    {
        this.input = input;
        this.run = run;
        this.incidents = incidents;
        this.downs = downs;
    }

    String html()
    {
        return subtitle() + chips() + lead() + tiles();
    }

    private String subtitle()
    {
        final RunReport report = input.report();
        return "<p class=\"sub\">" + PageNumbers.plural(report.requests().submitted(), "request") + " in " +
            PageNumbers.duration(input.history().lengthNanos()) + (input.isSimulated() ? " of simulated time" : "") +
            (input.window().isEmpty() ? "" : ", from <b>" + input.window() + "</b>") +
            ", on " + PageNumbers.plural(input.history().ranks(), "rank") + " with router <b>" +
            Markup.escaped(report.placements().configured()) + "</b></p>";
    }

    private String chips()
    {
        final StringBuilder chips = new StringBuilder("<ul class=\"chips\">");
        final Verdict verdict = input.journal().verdict();
        if (verdict.confirmed() == null)
        {
            chip(chips, "warn", "?", "<b>Not verified</b>: run <code>signalbox replay " +
                Markup.escaped(input.argument()) + " --verify</code>");
        }
        else
        {
            chip(chips, verdict.confirmed() ? "ok" : "bad", verdict.confirmed() ? "\u2713" : "\u2715",
                verdict.confirmed() ? "<b>Verified</b>: all " + PageNumbers.count(input.journal().groups()) +
                    " groups are equal" : "<b>Does not verify</b>: " + Markup.escaped(verdict.problem()));
        }
        if (!downs.isEmpty())
        {
            chip(chips, "bad", "!", "<b>Ranks lost</b>: " + Incident.numbers(downs.stream().map(Incidents.Down::rank)
                .collect(Collectors.toCollection(TreeSet::new))) + ", " + PageNumbers.duration(downs.stream()
                .mapToDouble(down -> down.to() - down.from()).sum() * RunFigures.NANOS_PER_SECOND) + " in all");
        }
        final RunReport.Requests ends = input.report().requests();
        final boolean isFailed = ends.failed() > 0;
        chip(chips, isFailed ? "bad" : "ok", isFailed ? "\u2715" : "\u2713", "<b>" + PageNumbers.count(ends.failed()) +
            " failed</b>, " + PageNumbers.count(ends.cancelled()) + " cancelled, " + PageNumbers.count(ends.refused()) +
            " refused" + (ends.missedDeadlines() == 0 ? "" :
            ", " + PageNumbers.count(ends.missedDeadlines()) + " missed deadlines"));
        overload(chips);
        return chips.append("</ul>").toString();
    }

    private static void chip(final StringBuilder chips, final String style, final String sign, final String words)
    {
        chips.append("<li class=\"chip ").append(style).append("\"><i aria-hidden=\"true\">").append(sign)
            .append("</i><span>").append(words).append("</span></li>");
    }

    /** Spells in which requests waited in every interval, and in the mean at least one did. */
    private void overload(final StringBuilder chips)
    {
        final double[] waiting = run.levels.means(RunHistory.WAITING);
        double overloaded = 0;
        double spell = 0;
        for (int i = 0; i <= waiting.length; i++)
        {
            if (i < waiting.length && waiting[i] >= 1)
            {
                spell += run.levels.length(i);
                continue;
            }
            overloaded += spell >= Math.min(LONG_QUEUE_SECONDS, run.seconds() / 20) ? spell : 0;
            spell = 0;
        }
        if (overloaded > 0)
        {
            chip(chips, "warn", "!", "<b>Overload</b> for " +
                PageNumbers.duration(overloaded * RunFigures.NANOS_PER_SECOND) + ": requests waited all the time");
        }
        else
        {
            chip(chips, "ok", "\u2713", "<b>No overload</b>");
        }
    }

    /** The loss that hurt most; {@code null} if none hurt. */
    private Incident worst()
    {
        Incident worst = null;
        for (final Incident incident : incidents)
        {
            if (incident.kind() == Incident.Kind.LOST && hurt(incident) >= Math.max(WORTH_TELLING,
                worst == null ? 0 : hurt(worst) + 1))
            {
                worst = incident;
            }
        }
        return worst;
    }

    /** Requests that missed the limits, or without limits those that arrived. */
    private long hurt(final Incident incident)
    {
        return incident.arrived().stream().filter(this::isMissed).count();
    }

    private boolean isMissed(final PastRequest request)
    {
        return run.level() == null || request.isCounted() && !request.isWithin(run.level());
    }

    private String lead()
    {
        final Incident worst = worst();
        final List<PastRequest> all = input.history().requests();
        if (worst == null)
        {
            final RunReport.Goodput goodput = input.report().goodput();
            return "<p class=\"lead\">" + (goodput == null || Double.isNaN(goodput.share()) ? "" :
                "<b>" + PageNumbers.percent(goodput.share()) + "</b> of the requests meet the limits. ") +
                (downs.isEmpty() ? "No rank was lost." : "The loss of ranks changed little.") + "</p>";
        }
        final List<PastRequest> rest = all.stream().filter(request -> !worst.arrived().contains(request)).toList();
        final StringBuilder words = new StringBuilder("<p class=\"lead\">The loss of ").append(worst.who()).append(" at <b>")
            .append(PageNumbers.clock(worst.from())).append("</b> is what hurt. Until ")
            .append(worst.calm() > worst.to() ? "queues were back to normal at " + PageNumbers.clock(worst.calm()) :
                "the end of it").append(", the median TTFT was <b>").append(PageNumbers.duration(RunFigures.quantile(
                worst.arrived(), 0.5, PastRequest::ttftNanos))).append("</b> instead of ")
            .append(PageNumbers.duration(RunFigures.quantile(rest, 0.5, PastRequest::ttftNanos)));
        if (run.level() != null)
        {
            words.append(", and <b>").append(PageNumbers.percent((double)hurt(worst) / worst.arrived().size(), 2))
                .append("</b> of the requests missed a limit; in the rest of the run ").append(PageNumbers.percent(
                    (double)rest.stream().filter(this::isMissed).count() / Math.max(1, rest.size()), 2)).append(" did");
        }
        return words.append(".</p>").toString();
    }

    private String tiles()
    {
        final RunReport report = input.report();
        final List<List<PastRequest>> bins = run.sparks.requests(run::submitted);
        final RunReport.PrefixCache cache = report.prefixCache();
        return "<h2 class=\"vh\">Key figures</h2><div class=\"tiles\">" +
            latencyTile("ttft", "TTFT, median", report.latency().ttft(), bins, 0) +
            latencyTile("tpot", "TPOT, median", report.latency().tpot(), bins, 1) + goodputTile(bins) +
            tile("tokens", "Output tokens", PageNumbers.digits(report.throughput().outputTokensPerSecond(), 4), "per second",
                "<b>" + PageNumbers.big(report.steps().tokens()) + "</b> computed in all",
                spark("output tokens per second over time", run.sparks.sums(RunHistory.EMITTED), 0)) +
            tile("hits", "Prefix hits", PageNumbers.digits(cache.tokenHitRate() * 100), "%",
                "<b>" + PageNumbers.big(cache.matchedTokens()) + "</b> of " + PageNumbers.big(cache.promptTokens()),
                spark("share of prompt tokens found in the cache, over time", run.sparks.requests(run::admitted).stream()
                    .mapToDouble(RunFigures::hitRate).toArray(), 0)) +
            tile("requests", "Requests", PageNumbers.count(report.requests().submitted()), "",
                "<b>" + PageNumbers.count(report.requests().completed()) + "</b> completed",
                spark("arrivals per second over time", run.perSecond(run.sparks, bins, request -> true), 0)) +
            "</div>" + limits();
    }

    private String limits()
    {
        return "<p class=\"limits\" id=\"limits\">" + (run.level() == null ?
            "No limits of goodput are given; <code>--slo ttft=3s,tpot=60ms</code> sets them." :
            "Limits of goodput: " + Markup.escaped(run.level().words()) + ".") + "</p>";
    }

    private String latencyTile(
        final String key, final String name, final LatencySummary summary, final List<List<PastRequest>> bins,
        final int figure)
    {
        final ToLongFunction<PastRequest> time =
            figure == 0 ? PastRequest::ttftNanos : PastRequest::tpotNanos;
        final String[] median = PageNumbers.duration(nanos(summary.p50Nanos())).split(PageNumbers.NB);
        final boolean isSimple = median.length == 2;
        return tile(key, name, isSimple ? median[0] : String.join(PageNumbers.NB, median), isSimple ? median[1] : "",
            "p99 <b>" + PageNumbers.duration(nanos(summary.p99Nanos())) + "</b>",
            band(name + " over time, with the p99, logarithmic", RunFigures.quantiles(bins, 0.5, time),
                RunFigures.quantiles(bins, 0.99, time)));
    }

    static double nanos(final Number nanos)
    {
        return nanos == null ? Double.NaN : nanos.doubleValue();
    }

    private String goodputTile(final List<List<PastRequest>> bins)
    {
        final RunReport.Goodput goodput = input.report().goodput();
        if (goodput == null)
        {
            return tile("good", "Goodput", PageNumbers.NO_DATA, "", "no limits given", spark("no limits given",
                new double[run.sparks.count], 1));
        }
        return tile("good", "Goodput", PageNumbers.digits(goodput.requestsPerSecond()), "requests/s",
            "<b>" + PageNumbers.percent(goodput.share()) + "</b> meet the limits",
            spark("share of requests that meet the limits, over time",
                bins.stream().mapToDouble(run::metShare).toArray(), 1));
    }

    private static String tile(
        final String key, final String name, final String value, final String unit, final String second,
        final String chart)
    {
        return "<div class=\"tile\" data-tile=\"" + key + "\"><h3>" + name + "</h3><div class=\"v\"><span data-v>" + value +
            "</span> <small>" + unit + "</small></div><div class=\"w\" data-w>" + second + "</div>" + chart + "</div>";
    }

    /** @param most the top of the chart; 0: the largest value. */
    private String spark(final String label, final double[] values, final double most)
    {
        final Scale scale = Scale.Linear.of(most > 0 ? most : RunFigures.max(values), SPARK_HEIGHT - 1, 2, 2);
        return drawn(label, scale, values, null);
    }

    private String band(final String label, final double[] values, final double[] tops)
    {
        final double least = Arrays.stream(values).filter(value -> value > 0).min().orElse(1);
        return drawn(label, Scale.Logarithmic.around(least * 0.9, RunFigures.max(tops) * 1.05, SPARK_HEIGHT - 2, 2), values,
            tops);
    }

    private String drawn(final String label, final Scale scale, final double[] values, final double[] tops)
    {
        final double[] edges = run.sparks.edges;
        final Plot plot = new Plot(SPARK_HEIGHT).add(StripPart.spans(run, downs, SPARK_HEIGHT));
        if (tops != null)
        {
            plot.path("band", Plot.area(edges, Plot.positions(scale, tops), Plot.positions(scale, values)));
        }
        return plot.path("ln st-work", Plot.steps(edges, Plot.positions(scale, values)))
            .path("base", "M0 " + (SPARK_HEIGHT - 0.5) + "H" + Plot.WIDTH).svg(label);
    }
}
