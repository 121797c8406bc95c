// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.printing.Decimals;

import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * A chart as SVG. The inner svg is {@link #WIDTH} units wide and as high as the chart in pixels. It is stretched
 * horizontally only. Texts stand outside of it and keep their size. So one chart fits a desktop, a phone and paper without
 * script.
 */
final class Plot
{
    /** Horizontal units of every chart. */
    static final int WIDTH = 2000;

    private final int height;
    private final StringBuilder inner = new StringBuilder();
    private final StringBuilder outer = new StringBuilder();

    Plot(final int height)
    {
        this.height = height;
    }

    /** A coordinate with at most one decimal. */
    static String number(final double value)
    {
        final long tenths = StrictMath.round(value * 10);
        final long rest = Math.abs(tenths % 10);
        final long whole = tenths / 10;
        final String sign = tenths < 0 && (whole != 0 || rest != 0) ? "-" : "";
        return sign + (whole == 0 && rest != 0 ? "" : Long.toString(Math.abs(whole))) + (rest == 0 ? "" : "." + rest);
    }

    /** A horizontal position as a percentage of the width. */
    static String percent(final double x)
    {
        final long hundredths = StrictMath.round(x / WIDTH * 10_000);
        return Decimals.plain(hundredths / 100.0) + "%";
    }

    Plot add(final String markup)
    {
        inner.append(markup);
        return this;
    }

    Plot addOuter(final String markup)
    {
        outer.append(markup);
        return this;
    }

    Plot path(final String classes, final String data)
    {
        return add(pathOf(classes, data));
    }

    static String pathOf(final String classes, final String data)
    {
        return data.isEmpty() ? "" : "<path class=\"" + classes + "\" d=\"" + data + "\"/>";
    }

    Plot text(final double x, final double y, final String words, final String classes)
    {
        return addOuter(textOf(percent(x), y, words, classes, ""));
    }

    /** A text at a position that is taken as it is, with further attributes. */
    static String textOf(final String x, final double y, final String words, final String classes, final String attributes)
    {
        return "<text x=\"" + x + "\" y=\"" + number(y) + "\"" + (classes.isEmpty() ? "" : " class=\"" + classes + "\"") +
            attributes + ">" + Markup.escaped(words) + "</text>";
    }

    /**
     * A round mark, which stays round at any width.
     *
     * @param title shown under the pointer; empty: none.
     */
    Plot dot(final double x, final double y, final double radius, final String classes, final String title)
    {
        return addOuter("<circle cx=\"" + percent(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) +
            "\" class=\"" + classes + "\"" + (title.isEmpty() ? "/>" : "><title>" + Markup.escaped(title) +
            "</title></circle>"));
    }

    /** Vertical grid lines, and labels below; on a narrow screen every second label is hidden. */
    Plot bottomAxis(final Scale scale, final List<Double> values, final DoubleFunction<String> label)
    {
        final StringBuilder lines = new StringBuilder();
        for (int i = 0; i < values.size(); i++)
        {
            final double x = scale.at(values.get(i));
            lines.append('M').append(number(x)).append(" 0V").append(height);
            text(x, height + 14, label.apply(values.get(i)), (x < WIDTH * 0.02 ? "" : x > WIDTH * 0.97 ? "e" : "m") +
                (i % 2 == 0 ? "" : " alt"));
        }
        return path("grid", lines.toString());
    }

    /** Grid lines and labels at the left; the line of the value 0 is stronger. */
    Plot leftAxis(final Scale scale, final List<Double> values, final DoubleFunction<String> label)
    {
        final StringBuilder lines = new StringBuilder();
        for (final double value : values)
        {
            final String line = "M0 " + number(scale.at(value)) + "H" + WIDTH;
            if (value == 0)
            {
                path("base", line);
            }
            else
            {
                lines.append(line);
            }
            addOuter(textOf("-7", scale.at(value) + 3.5, label.apply(value), "e", ""));
        }
        return path("grid", lines.toString());
    }

    /** The chart; the label is read by screen readers. */
    String svg(final String label)
    {
        return svg(label, "");
    }

    String svg(final String label, final String description)
    {
        return "<svg class=\"p\" width=\"100%\" height=\"" + height + "\" role=\"img\" aria-label=\"" +
            Markup.escaped(label) + "\">" +
            (description.isEmpty() ? "" : "<desc>" + Markup.escaped(description) + "</desc>") + body() + "</svg>";
    }

    /** The chart as a decoration of what a screen reader finds elsewhere. */
    String hiddenSvg()
    {
        return "<svg class=\"p\" width=\"100%\" height=\"" + height + "\" aria-hidden=\"true\">" + body() + "</svg>";
    }

    /** The chart as a group of links, which a screen reader enters. */
    String groupSvg(final String label)
    {
        return "<svg class=\"p\" width=\"100%\" height=\"" + height + "\" role=\"group\" aria-label=\"" +
            Markup.escaped(label) + "\">" + body() + "</svg>";
    }

    private String body()
    {
        return "<svg class=\"in\" viewBox=\"0 0 " + WIDTH + " " + height +
            "\" preserveAspectRatio=\"none\" width=\"100%\" height=\"" + height + "\">" + inner + "</svg>" + outer;
    }

    /** A line of steps through intervals with these edges; NaN leaves a gap. */
    static String steps(final double[] edges, final double[] values)
    {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < values.length; i++)
        {
            if (Double.isNaN(values[i]))
            {
                continue;
            }
            final String y = number(values[i]);
            if (i == 0 || Double.isNaN(values[i - 1]))
            {
                line.append('M').append(number(edges[i])).append(' ').append(y);
            }
            else if (!y.equals(number(values[i - 1])))
            {
                line.append('H').append(number(edges[i])).append('V').append(y);
            }
            if (i + 1 == values.length || Double.isNaN(values[i + 1]))
            {
                line.append('H').append(number(edges[i + 1]));
            }
        }
        return line.toString();
    }

    /** A filled band of steps between two rows of positions; intervals with NaN are left out. */
    static String area(final double[] edges, final double[] tops, final double[] bottoms)
    {
        final StringBuilder bands = new StringBuilder();
        int at = 0;
        while (at < tops.length)
        {
            if (Double.isNaN(tops[at]) || Double.isNaN(bottoms[at]))
            {
                at++;
                continue;
            }
            int end = at;
            while (end < tops.length && !Double.isNaN(tops[end]) && !Double.isNaN(bottoms[end]))
            {
                end++;
            }
            band(bands, edges, tops, bottoms, at, end);
            at = end;
        }
        return bands.toString();
    }

    private static void band(
        final StringBuilder band, final double[] edges, final double[] tops, final double[] bottoms, final int from,
        final int to)
    {
        band.append(steps(Arrays.copyOfRange(edges, from, to + 1), Arrays.copyOfRange(tops, from, to)));
        band.append('V').append(number(bottoms[to - 1]));
        for (int i = to - 1; i >= from; i--)
        {
            if (i < to - 1 && !number(bottoms[i]).equals(number(bottoms[i + 1])))
            {
                band.append('V').append(number(bottoms[i]));
            }
            if (i == from || !number(bottoms[i - 1]).equals(number(bottoms[i])))
            {
                band.append('H').append(number(edges[i]));
            }
        }
        band.append('Z');
    }

    static String box(final double x, final double y, final double width, final double height)
    {
        return "M" + number(x) + " " + number(y) + "h" + number(width) + "v" + number(height) + "h" + number(-width) + "z";
    }

    /** Each value as a position; NaN stays. */
    static double[] positions(final Scale scale, final double[] values)
    {
        return Arrays.stream(values).map(value -> Double.isNaN(value) ? Double.NaN : scale.at(value)).toArray();
    }
}
