// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Latency over percentiles, both logarithmic, as an SVG picture for light and for dark pages. */
final class LatencyPlot
{
    private static final int WIDTH = 760;
    private static final int HEIGHT = 400;
    private static final int LEFT = 70;
    private static final int RIGHT = 200;
    private static final int TOP = 40;
    private static final int BOTTOM = 50;
    /** 10 µs to 100 ms. */
    private static final double LOWEST = 4;
    private static final double HIGHEST = 8;
    /** Nines of the last percentile: 99.99. */
    private static final double MOST_NINES = 4;
    private static final double STEP = 0.02;
    private static final String[] LIGHT = {"#0969da", "#1a7f37", "#bc4c00", "#8250df", "#bf3989", "#57606a"};
    private static final String[] DARK = {"#58a6ff", "#3fb950", "#f0883e", "#bc8cff", "#f778ba", "#8b949e"};

    private final String title;
    private final List<String> names = new ArrayList<>();
    private final List<Histogram> curves = new ArrayList<>();

    LatencyPlot(final String title)
    {
        this.title = title;
    }

    void add(final String name, final Histogram histogram)
    {
        names.add(name);
        curves.add(histogram);
    }

    /** Writes {@code NAME-light.svg} and {@code NAME-dark.svg}. */
    void write(final Path directory, final String name) throws IOException
    {
        Files.writeString(directory.resolve(name + "-light.svg"), svg("#1f2328", "#d0d7de", LIGHT));
        Files.writeString(directory.resolve(name + "-dark.svg"), svg("#e6edf3", "#30363d", DARK));
    }

    private String svg(final String ink, final String grid, final String[] colors)
    {
        final StringBuilder svg = new StringBuilder(String.format(Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" " +
                "font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"%s\">%n  <title>%s</title>%n" +
                "  <!-- SPDX-License-Identifier: Apache-2.0 -->%n", WIDTH, HEIGHT, ink, title));
        text(svg, LEFT, TOP - 16, "start", title);
        for (int decade = (int)LOWEST; decade <= HIGHEST; decade++)
        {
            line(svg, grid, LEFT, y(decade), WIDTH - RIGHT, y(decade));
            text(svg, LEFT - 8, y(decade) + 4, "end", List.of("10 µs", "100 µs", "1 ms", "10 ms", "100 ms")
                .get(decade - (int)LOWEST));
        }
        for (int nines = 0; nines <= MOST_NINES; nines++)
        {
            line(svg, grid, x(nines), TOP, x(nines), HEIGHT - BOTTOM);
            text(svg, x(nines), HEIGHT - BOTTOM + 18, "middle",
                List.of("0", "90", "99", "99.9", "99.99").get(nines) + " %");
        }
        text(svg, x(MOST_NINES / 2), HEIGHT - BOTTOM + 38, "middle", "requests that have their first token by then");
        for (int curve = 0; curve < curves.size(); curve++)
        {
            curve(svg, curve, colors[curve % colors.length], curve < colors.length ? "" : " stroke-dasharray=\"4 3\"");
        }
        return svg.append("</svg>\n").toString();
    }

    /** @param dashes tell curves of one colour apart. */
    private void curve(final StringBuilder svg, final int curve, final String color, final String dashes)
    {
        final Histogram histogram = curves.get(curve);
        svg.append("  <polyline fill=\"none\" stroke=\"").append(color).append("\" stroke-width=\"1.8\"").append(dashes)
            .append(" points=\"");
        // No further than there are requests: beyond that every percentile is the same one.
        final double last = Math.min(MOST_NINES, Math.log10(Math.max(1, histogram.getTotalCount())));
        for (double nines = 0; nines <= last; nines += STEP)
        {
            final double nanos = histogram.getValueAtPercentile(100 * (1 - Math.pow(10, -nines)));
            svg.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(nines), y(Math.log10(Math.max(1, nanos)))));
        }
        svg.append("\"/>\n");
        final int y = TOP + 16 + 18 * curve;
        line(svg, color, WIDTH - RIGHT + 14, y - 4, WIDTH - RIGHT + 34, y - 4);
        text(svg, WIDTH - RIGHT + 40, y, "start", names.get(curve));
    }

    private static double x(final double nines)
    {
        return LEFT + nines / MOST_NINES * (WIDTH - LEFT - RIGHT);
    }

    private static double y(final double decade)
    {
        final double bounded = Math.max(LOWEST, Math.min(HIGHEST, decade));
        return HEIGHT - BOTTOM - (bounded - LOWEST) / (HIGHEST - LOWEST) * (HEIGHT - TOP - BOTTOM);
    }

    private static void line(
        final StringBuilder svg, final String color, final double x1, final double y1, final double x2, final double y2)
    {
        svg.append(String.format(Locale.ROOT, "  <path d=\"M%.1f %.1f L%.1f %.1f\" stroke=\"%s\" stroke-width=\"1.2\"/>%n",
            x1, y1, x2, y2, color));
    }

    private static void text(
        final StringBuilder svg, final double x, final double y, final String anchor, final String text)
    {
        svg.append(String.format(Locale.ROOT, "  <text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            x, y, anchor, text));
    }
}
