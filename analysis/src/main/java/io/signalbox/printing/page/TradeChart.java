// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.compare.ComparisonCell;
import io.signalbox.compare.Figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * Output tokens per second of a rank, or prefix hits, against the TTFT p99: a line per router through its cache sizes.
 * Routers that another one beats in both stay grey.
 */
final class TradeChart
{
    private static final int HEIGHT = 300;
    private static final int LABEL = 14;
    private static final String[] STYLES = {"work", "wait", "mark", "ok"};
    private static final String[] TEXTS = {"workt", "waitt", "mark", "ok"};

    private final ComparedRouters compared;
    private final String workload;
    private final double ranks;
    private final boolean isHits;
    private final Scale.Between x;
    private final Scale.Logarithmic y;

    TradeChart(final ComparedRouters compared, final String workload, final int ranks)
    {
        this.compared = compared;
        this.workload = workload;
        this.ranks = ranks;
        final double[] tokens = all(Figure.OUTPUT_TOKENS_PER_SECOND);
        isHits = max(tokens) < 1.2 * Arrays.stream(tokens).min().orElse(0);
        final double[] across = Arrays.stream(all(figure())).map(value -> value / divisor()).toArray();
        final double least = Arrays.stream(across).min().orElse(0);
        final double pad = Math.max((max(across) - least) * 0.05, 1e-6);
        x = Scale.Between.of(least - pad, max(across) + pad, 0, Plot.WIDTH, 4);
        final double[] times = Arrays.stream(all(ComparedRouters.MAIN)).filter(value -> value > 0).toArray();
        y = Scale.Logarithmic.around(
            Arrays.stream(times).min().orElse(1) * 0.72, Math.max(max(times), 1e-6) * 1.25, HEIGHT - 1, 4);
    }

    private double[] all(final Figure figure)
    {
        return compared.routers().stream().flatMapToDouble(router -> compared.sizes().stream().mapToDouble(
            size -> compared.mean(workload, size, router, figure))).filter(value -> !Double.isNaN(value)).toArray();
    }

    private static double max(final double[] values)
    {
        return Arrays.stream(values).max().orElse(0);
    }

    private Figure figure()
    {
        return isHits ? Figure.TOKEN_HIT_RATE : Figure.OUTPUT_TOKENS_PER_SECOND;
    }

    private double divisor()
    {
        return isHits ? 1 : ranks;
    }

    private String label(final double value)
    {
        return isHits ? PageNumbers.plain(value * 100) + " %" : PageNumbers.plain(value);
    }

    private double across(final String router, final int size)
    {
        return compared.mean(workload, size, router, figure()) / divisor();
    }

    private double time(final String router, final int size)
    {
        return compared.mean(workload, size, router, ComparedRouters.MAIN);
    }

    /** Routers that are on the front with some cache size, at most four, with their colours. */
    private Map<String, Integer> front()
    {
        final Map<String, Integer> front = new LinkedHashMap<>();
        for (final String router : compared.routers())
        {
            final boolean isOn = compared.sizes().stream().anyMatch(size -> time(router, size) > 0 &&
                compared.routers().stream().noneMatch(other -> across(other, size) > across(router, size) &&
                    time(other, size) < time(router, size)));
            if (isOn && front.size() < STYLES.length)
            {
                front.put(router, front.size());
            }
        }
        return front;
    }

    String html()
    {
        final Map<String, Integer> front = front();
        final Plot plot = new Plot(HEIGHT).bottomAxis(x, x.ticks(), this::label)
            .leftAxis(y, y.ticks(26), value -> PageNumbers.axisLatency(value * 1e6));
        for (final String router : compared.routers())
        {
            if (!front.containsKey(router))
            {
                line(plot, router, -1);
            }
        }
        front.forEach((router, style) -> line(plot, router, style));
        names(plot, front);
        final String words = isHits ? "prefix hits" : "output tokens/s per rank";
        final List<Integer> sizes = compared.sizes();
        return "<figure><div class=\"rowhead\"><b>" + Markup.escaped(workload) + "</b><span>TTFT p99; low and right is " +
            "best</span></div><div class=\"plot\" style=\"--gr:110px;padding-bottom:18px\">" + plot.svg(workload + ": " +
            words + " against TTFT p99, a line per router over cache sizes") + "</div><div class=\"xlabel\" style=\"" +
            "--gr:110px\">" + words + (sizes.size() == 1 ? "" : "; dots grow with the cache, " +
            PageNumbers.count(sizes.get(0)) + " to " + PageNumbers.count(sizes.get(sizes.size() - 1)) + " blocks") +
            "</div></figure>";
    }

    private void line(final Plot plot, final String router, final int style)
    {
        final String role = style < 0 ? "soft" : STYLES[style];
        final StringBuilder path = new StringBuilder();
        for (int i = 0; i < compared.sizes().size(); i++)
        {
            final int size = compared.sizes().get(i);
            if (!(time(router, size) > 0))
            {
                continue;
            }
            final double left = x.at(across(router, size));
            final double top = y.at(time(router, size));
            path.append(path.isEmpty() ? 'M' : 'L').append(Plot.number(left)).append(' ').append(Plot.number(top));
            final ComparisonCell cell = compared.cell(workload, size, router);
            plot.dot(left, top, style < 0 ? compared.sizes().size() == 1 ? 3 : 1.3 : 2 + 0.55 * i, "f-" +
                (style < 0 ? "quiet" : role), router + ", " + PageNumbers.plural(cell.kvBlocks(), "block") + ": " +
                (isHits ? PageNumbers.percent(across(router, size)) : PageNumbers.digits(across(router, size), 4)) + ", " +
                PageNumbers.duration(time(router, size) * 1e6));
        }
        plot.path(style < 0 ? "ln thin st-soft" : "ln st-" + role, path.toString());
    }

    /** A name at the end of a line. */
    private record Name(String router, double x, double y)
    {
    }

    /** Names of the front stand at the right in the order of their lines, each with a leader to its last dot. */
    private void names(final Plot plot, final Map<String, Integer> front)
    {
        final List<Integer> sizes = compared.sizes();
        final List<Name> names = new ArrayList<>();
        front.keySet().forEach(router ->
        {
            final double[] at = DoubleStream.of(across(router, sizes.get(sizes.size() - 1)),
                time(router, sizes.get(sizes.size() - 1))).toArray();
            if (at[1] > 0)
            {
                names.add(new Name(router, x.at(at[0]), y.at(at[1])));
            }
        });
        names.sort(Comparator.comparingDouble(Name::y).reversed().thenComparing(Name::router));
        double low = HEIGHT + 2;
        for (final Name name : names)
        {
            final double top = Math.min(low, name.y);
            low = top - LABEL;
            final int style = front.get(name.router);
            plot.path("ln thin st-" + STYLES[style], "M" + Plot.number(name.x) + " " + Plot.number(name.y) + "L" +
                Plot.WIDTH + " " + Plot.number(top));
            plot.addOuter(Plot.textOf("100%", top + 4, name.router, "b", " dx=\"6\" style=\"fill:var(--" + TEXTS[style] +
                ")\""));
        }
        final String last = compared.routers().get(compared.routers().size() - 1);
        if (!front.containsKey(last) && time(last, sizes.get(0)) > 0)
        {
            plot.text(x.at(across(last, sizes.get(0))), y.at(time(last, sizes.get(0))) - 7, last, "halo");
        }
    }
}
