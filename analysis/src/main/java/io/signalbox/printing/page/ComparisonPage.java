// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.compare.ComparisonCell;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.Estimate;
import io.signalbox.compare.Figure;
import io.signalbox.printing.ComparisonFiles;
import io.signalbox.printing.page.ComparedRouters.Gap;
import io.signalbox.printing.page.ComparedRouters.Shown;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A comparison of routers as one HTML page. The same options give the same bytes. */
public final class ComparisonPage
{
    private static final double[] FACTORS = {1.02, 1.1, 1.3, 2, 5};
    private static final double[] PARTS = {0.98, 0.9, 0.75, 0.5, 0.2};
    private static final double[] POINTS = {0.005, 0.01, 0.02, 0.05, 0.15};
    private static final String[] FACTOR_NAMES = {"1", "1.02", "1.1", "1.3", "2", "5 and more"};
    private static final String[] PART_NAMES = {"1", "0.98", "0.9", "0.75", "0.5", "0.2 and less"};
    private static final String[] POINT_NAMES = {"0", "0.5", "1", "2", "5", "15 and more"};

    private final ComparisonConfig plan;
    private final ComparedRouters compared;
    private final String command;
    private final Tabs figures;
    private final Tabs sizes;

    private ComparisonPage(final ComparisonConfig plan, final List<ComparisonCell> cells, final String command)
    {
        this.plan = plan;
        this.command = command;
        compared = new ComparedRouters(cells);
        final List<Shown> shown = compared.figures();
        final int main = shown.stream().map(Shown::figure).toList().indexOf(ComparedRouters.MAIN);
        figures = new Tabs("fig", "Figure", shown.stream().map(Shown::title).toList(), Math.max(0, main));
        sizes = new Tabs("kv", "KV blocks per rank", compared.sizes().stream().map(PageNumbers::count).toList(),
            compared.sizes().size() / 2);
    }

    /** @param command prints the comparison as text. */
    public static String html(final ComparisonConfig plan, final List<ComparisonCell> cells, final String command)
    {
        return new ComparisonPage(plan, cells, command).html();
    }

    private boolean isSingle()
    {
        return compared.routers().size() == 1;
    }

    private String html()
    {
        final String title = isSingle() ? "Router " + compared.routers().get(0) :
            "Comparison of " + PageNumbers.plural(compared.routers().size(), "router");
        final StringBuilder body = new StringBuilder("<header class=\"top\"><h1>").append(Markup.escaped(title))
            .append("</h1><p class=\"sub\">").append(subtitle()).append("</p><ul class=\"says\">");
        compared.workloads().forEach(workload -> body.append("<li>").append(conclusion(workload)).append("</li>"));
        body.append("</ul></header><main>").append(figures.buttons()).append(sizes.buttons())
            .append(Markup.section("overview", "Overview", overview()));
        if (!isSingle())
        {
            body.append(Markup.section("differences", "Differences to the best router", differences()));
        }
        if (!isSingle() || compared.sizes().size() > 1)
        {
            body.append(Markup.section("trade", compared.sizes().size() > 1 ? "What a larger cache buys" :
                "Latency against throughput", trade()));
        }
        body.append(Markup.section("spread", "Spread of the TTFT", spreads()))
            .append(Markup.section("settings", "Settings", settings()))
            .append("</main><footer class=\"end\"><p>Signalbox \u00b7 the same options give the same bytes</p></footer>");
        return PageFile.html(title + " \u2013 Signalbox", body.toString(), style(), "", null);
    }

    private String subtitle()
    {
        final int ranks = plan.scheduler().ranks();
        return PageNumbers.plural(compared.workloads().size(), "workload") + ", " +
            PageNumbers.plural(compared.sizes().size(), "cache size") + ", " + PageNumbers.plural(plan.seeds(), "seed") +
            ": " + PageNumbers.plural(plan.cells(), "simulated run") + " on " + PageNumbers.plural(ranks, "rank");
    }

    /** Who is best, who cannot be told apart from it, and how far the worst is off. */
    private String conclusion(final String workload)
    {
        final List<Integer> all = compared.sizes();
        final String name = "<b>" + Markup.escaped(workload) + "</b>: ";
        if (isSingle())
        {
            return name + "TTFT p99 " + PageNumbers.listed(all.stream().map(size -> PageNumbers.duration(compared.mean(
                workload, size, compared.routers().get(0), ComparedRouters.MAIN) * 1e6) + " with " +
                PageNumbers.plural(size, "block")).toList()) + ".";
        }
        final Map<String, List<Integer>> wins = new LinkedHashMap<>();
        for (final int size : all)
        {
            final String best = compared.best(workload, size, ComparedRouters.MAIN);
            if (best != null)
            {
                wins.computeIfAbsent(best, key -> new ArrayList<>()).add(size);
            }
        }
        if (wins.isEmpty())
        {
            return name + "no request had a first token.";
        }
        final StringBuilder words = new StringBuilder(name);
        wins.entrySet().stream().sorted(
            Comparator.comparingInt((Map.Entry<String, List<Integer>> entry) -> -entry.getValue().size()))
            .forEach(entry -> words.append(words.length() == name.length() ? "" : ", ").append("<b>")
                .append(Markup.escaped(entry.getKey())).append(words.indexOf("</b> has") < 0 ?
                    "</b> has the lowest TTFT p99" : "</b>").append(all.size() == 1 ? "" :
                    entry.getValue().size() == all.size() ? " with each cache size" : " with " + PageNumbers.listed(
                        entry.getValue().stream().map(PageNumbers::count).toList()) + " blocks"));
        return words.append(". ").append(middle(workload)).toString();
    }

    private String middle(final String workload)
    {
        final int size = compared.sizes().get(compared.sizes().size() / 2);
        final String best = compared.best(workload, size, ComparedRouters.MAIN);
        if (best == null)
        {
            return "";
        }
        final List<String> level = compared.level(workload, size, ComparedRouters.MAIN).stream()
            .map(Markup::escaped).toList();
        final Shown main = compared.figures().stream().filter(shown -> shown.figure() == ComparedRouters.MAIN)
            .findFirst().orElseThrow();
        final String worst = compared.routers().stream().max(Comparator.comparingDouble(router ->
            Math.max(0, compared.gap(workload, size, router, main).mean()))).orElseThrow();
        final Gap gap = compared.gap(workload, size, worst, main);
        return (compared.sizes().size() == 1 ? "" : "With " + PageNumbers.plural(size, "block") + ": ") +
            (plan.seeds() == 1 ? "With one seed there are no intervals; " : level.isEmpty() ?
            "No router is level with " + Markup.escaped(best) + "; " :
            PageNumbers.listed(level) + " cannot be told apart from " + Markup.escaped(best) + "; ") +
            (gap.mean() > 1 ? Markup.escaped(worst) + " has " + PageNumbers.digits(gap.mean(), 2) + " times its TTFT p99" +
            (compared.isLevel(workload, size, worst, ComparedRouters.MAIN) ? wide(gap) : ".") : "all routers are equal.");
    }

    /** Why a router that is far from the best on average cannot be told apart from it. */
    private static String wide(final Gap gap)
    {
        return " on average, but seeds differ so much that the 95 % interval, " + PageNumbers.digits(gap.low(), 2) + " to " +
            PageNumbers.digits(gap.high(), 2) + " times, includes 1.";
    }

    private String overview()
    {
        final StringBuilder panels = new StringBuilder();
        for (int i = 0; i < figures.count(); i++)
        {
            panels.append("<div class=\"panel f").append(i).append("\">").append(heat(compared.figures().get(i)))
                .append("</div>");
        }
        return Markup.finding(isSingle() ? "One row per router, one column per cache size." :
            "Every router in every situation. Rows have one order on the whole page: by TTFT p99 over all columns.") +
            figures.line() + panels + Markup.foot(command, "Data", data());
    }

    private String heat(final Shown shown)
    {
        final int columns = compared.workloads().size() * compared.sizes().size();
        final StringBuilder table = new StringBuilder("<div class=\"scroll plain\" tabindex=\"0\" role=\"region\" " +
            "aria-label=\"").append(shown.title()).append(", routers by workload\"><table class=\"heat\" style=\"min-width:")
            .append(150 + 62 * columns).append("px\"><thead><tr><th rowspan=\"2\" class=\"l\" scope=\"col\">Router</th>");
        final StringBuilder second = new StringBuilder();
        for (final String workload : compared.workloads())
        {
            table.append("<th colspan=\"").append(compared.sizes().size()).append("\" scope=\"colgroup\">")
                .append(Markup.escaped(workload)).append("</th>");
            compared.sizes().forEach(size -> second.append("<th scope=\"col\"").append(first(size)).append('>')
                .append(PageNumbers.count(size)).append("</th>"));
        }
        table.append("</tr><tr>").append(second).append("</tr></thead><tbody>");
        for (final String router : compared.routers())
        {
            table.append("<tr><th scope=\"row\" class=\"l\">").append(Markup.escaped(router)).append("</th>");
            compared.workloads().forEach(workload -> compared.sizes()
                .forEach(size -> table.append(cell(workload, size, router, shown))));
            table.append("</tr>");
        }
        return table.append("</tbody></table></div>").append(isSingle() ? "" : scale(shown)).toString();
    }

    private String first(final int size)
    {
        return size == compared.sizes().get(0) ? " class=\"first\"" : "";
    }

    private String cell(final String workload, final int size, final String router, final Shown shown)
    {
        final double gap = compared.gap(workload, size, router, shown).mean();
        final boolean isBest = router.equals(compared.best(workload, size, shown.figure()));
        final int shade = shade(shown, gap);
        final String value = shown.format().apply(compared.mean(workload, size, router, shown.figure()));
        final String words = isSingle() ? value : Double.isNaN(gap) ? PageNumbers.NO_DATA : isBest ? "best" :
            shown.isShare() ? PageNumbers.signed(gap, true).split(PageNumbers.NB)[0] : PageNumbers.digits(gap);
        return "<td class=\"h" + (isSingle() ? 0 : shade) + (size == compared.sizes().get(0) ? " first" : "") +
            (isBest && !isSingle() ? " best" : "") + "\" title=\"" + value + "\">" +
            (!isBest && compared.isLevel(workload, size, router, shown.figure()) ? "<span class=\"tilde\">~</span>" : "") +
            words + "</td>";
    }

    /** How far a router is from the best one, 0 to the number of limits. */
    private static int shade(final Shown shown, final double gap)
    {
        final double[] limits = shown.isShare() ? POINTS : shown.isRate() ? PARTS : FACTORS;
        int shade = 0;
        while (shade < limits.length &&
            (shown.isRate() ? gap <= limits[shade] : (shown.isShare() ? -gap : gap) >= limits[shade]))
        {
            shade++;
        }
        return shade;
    }

    private String scale(final Shown shown)
    {
        final StringBuilder keys = new StringBuilder("<p class=\"scalekey\">").append(
            shown.isShare() ? "Points below the best of the column: " :
            shown.isRate() ? "Part of the best of the column: " : "Times the best of the column: ");
        final String[] names = shown.isShare() ? POINT_NAMES : shown.isRate() ? PART_NAMES : FACTOR_NAMES;
        for (int i = 0; i < names.length; i++)
        {
            keys.append("<span class=\"hk h").append(i).append("\">").append(names[i]).append("</span>");
        }
        return keys.append(plan.seeds() == 1 ? "" : " <span class=\"tilde\">~</span> no significant difference from the " +
            "best (paired by seed, 95 %)").append("</p>").toString();
    }

    private String data()
    {
        final List<Shown> shown = compared.figures();
        final List<String> heads = new ArrayList<>(List.of("workload, blocks, router"));
        shown.forEach(figure -> heads.add(figure.title()));
        final List<String[]> rows = new ArrayList<>();
        compared.workloads().forEach(workload -> compared.sizes().forEach(size -> compared.routers().forEach(router ->
        {
            final List<String> row = new ArrayList<>(
                List.of(workload + ", " + PageNumbers.count(size) + ", " + router));
            shown.forEach(figure -> row.add(estimate(figure,
                compared.cell(workload, size, router).estimate(figure.figure()))));
            rows.add(row.toArray(String[]::new));
        })));
        return Markup.table(heads.toArray(String[]::new), rows);
    }

    private static String estimate(final Shown shown, final Estimate estimate)
    {
        return shown.format().apply(estimate.mean()) +
            (Double.isNaN(estimate.halfWidth()) ? "" : " \u00b1 " + shown.format().apply(estimate.halfWidth()));
    }

    private String differences()
    {
        final RouterCharts charts = new RouterCharts(compared);
        final StringBuilder panels = new StringBuilder();
        for (int i = 0; i < figures.count(); i++)
        {
            for (int j = 0; j < sizes.count(); j++)
            {
                panels.append("<div class=\"panel two p").append(i).append('-').append(j).append("\">");
                for (final String workload : compared.workloads())
                {
                    panels.append(charts.differences(workload, compared.sizes().get(j), compared.figures().get(i)));
                }
                panels.append("</div>");
            }
        }
        return Markup.finding(plan.seeds() == 1 ? "A dot is the difference with one seed; --seeds 3 gives intervals." :
            "A dot is the mean difference over " + plan.seeds() + " seeds, its line the 95 % interval of the differences " +
            "paired by seed. Grey rings cover the best: these seeds cannot tell the two apart. " +
            "An arrow marks an interval that leaves the plot.") +
            figures.line() + sizes.line() + panels;
    }

    private String trade()
    {
        final StringBuilder charts = new StringBuilder("<div class=\"two\" style=\"display:grid\">");
        compared.workloads().forEach(workload -> charts.append(
            new TradeChart(compared, workload, plan.scheduler().ranks()).html()));
        return Markup.finding(compared.sizes().size() == 1 ? "Each dot is a router." :
            enough() + "Each line is a router; along it the cache grows.") + charts + "</div>";
    }

    /** The smallest cache with which the first router is near its TTFT p99 with the largest one. */
    private String enough()
    {
        final String router = compared.routers().get(0);
        final List<Integer> all = compared.sizes();
        final int largest = all.get(all.size() - 1);
        final List<String> needs = new ArrayList<>();
        for (final String workload : compared.workloads())
        {
            final double limit = compared.mean(workload, largest, router, ComparedRouters.MAIN) * 1.05;
            int enough = all.size() - 1;
            while (enough > 0 && compared.mean(workload, all.get(enough - 1), router, ComparedRouters.MAIN) <= limit)
            {
                enough--;
            }
            needs.add((enough == all.size() - 1 ? "more than " + PageNumbers.count(all.get(enough - 1)) :
                PageNumbers.count(all.get(enough))) + " blocks for " + Markup.escaped(workload));
        }
        return "To stay within 5 % of its TTFT p99 with " + PageNumbers.plural(largest, "block") + " per rank, " +
            Markup.escaped(router) + " needs " + PageNumbers.listed(needs) + ". ";
    }

    private String spreads()
    {
        final RouterCharts charts = new RouterCharts(compared);
        final StringBuilder panels = new StringBuilder();
        for (int j = 0; j < sizes.count(); j++)
        {
            panels.append("<div class=\"panel two k").append(j).append("\">");
            for (final String workload : compared.workloads())
            {
                panels.append(charts.spreads(workload, compared.sizes().get(j)));
            }
            panels.append("</div>");
        }
        return Markup.finding("The large dot is the median, the small dot p90, the ring p99.") + sizes.line() + panels;
    }

    private String settings()
    {
        return "<p class=\"cmd cmdline\"><code>" + Markup.escaped(command) + "</code></p><div class=\"sets\">" +
            SettingsPart.groups(ComparisonFiles.settings(plan)) + "</div>" + Markup.finding("Times are simulated: they " +
            "compare policies and do not predict a cluster. Intervals over a trace cover a shift of its arrivals within " +
            "the resolution of its clock, not another hour of traffic; intervals over a generated workload cover " +
            "another draw of it.");
    }

    private String style()
    {
        final StringBuilder rules = new StringBuilder(figures.style()).append(sizes.style());
        for (int i = 0; i < figures.count(); i++)
        {
            rules.append(figures.when(i)).append("section .f").append(i).append("{display:block}");
            for (int j = 0; j < sizes.count(); j++)
            {
                rules.append(figures.when(i)).append(sizes.when(j)).append("section .p").append(i).append('-').append(j)
                    .append("{display:grid}");
            }
        }
        for (int j = 0; j < sizes.count(); j++)
        {
            rules.append(sizes.when(j)).append("section .k").append(j).append("{display:grid}");
        }
        return rules.toString();
    }
}
