// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.config.DoubleText;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Values as Python writes them. */
final class TemplateText
{
    private static final int PLAIN_FROM = -4;
    private static final int PLAIN_BELOW = 16;
    private static final int FIRST_PRINTED = 0x20;
    private static final int DELETE = 0x7f;
    private static final int MOST_DEPTH = 100;

    private TemplateText()
    {
    }

    /** The value as text of the output. */
    static String of(final Object value)
    {
        return value instanceof String ? (String)value : value instanceof Undefined ? "" : quoted(value, 0);
    }

    /** The value as Python's {@code repr} writes it. */
    static String quoted(final Object value)
    {
        return quoted(value, 0);
    }

    private static String quoted(final Object value, final int depth)
    {
        if (depth > MOST_DEPTH)
        {
            throw new TemplateFault("a value is nested deeper than " + MOST_DEPTH + " levels");
        }
        if (value == null)
        {
            return "None";
        }
        if (value instanceof Boolean)
        {
            return (Boolean)value ? "True" : "False";
        }
        if (value instanceof Double)
        {
            return real((Double)value);
        }
        if (value instanceof String)
        {
            return quoted((String)value);
        }
        if (value instanceof List)
        {
            final boolean isTuple = value instanceof Tuple;
            final StringJoiner all = new StringJoiner(", ", isTuple ? "(" : "[",
                isTuple ? ((List<?>)value).size() == 1 ? ",)" : ")" : "]");
            ((List<?>)value).forEach(element -> all.add(quoted(element, depth + 1)));
            return all.toString();
        }
        if (value instanceof Map)
        {
            final StringJoiner all = new StringJoiner(", ", "{", "}");
            ((Map<?, ?>)value).forEach((key, element) ->
                all.add(quoted(key, depth + 1) + ": " + quoted(element, depth + 1)));
            return all.toString();
        }
        return value instanceof Long ? value.toString() : value instanceof Undefined ? "Undefined" : "<function>";
    }

    private static String quoted(final String text)
    {
        final char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        final StringBuilder out = new StringBuilder().append(quote);
        text.codePoints().forEach(c ->
        {
            final int known = "\n\t\r\\".indexOf(c);
            if (known >= 0)
            {
                out.append('\\').append("ntr\\".charAt(known));
            }
            else if (c == quote)
            {
                out.append('\\').append(quote);
            }
            else if (c < FIRST_PRINTED || c == DELETE)
            {
                out.append(String.format("\\x%02x", c));
            }
            else
            {
                out.appendCodePoint(c);
            }
        });
        return out.append(quote).toString();
    }

    static String real(final double value)
    {
        if (Double.isNaN(value) || Double.isInfinite(value))
        {
            return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
        }
        if (value == 0)
        {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        final BigDecimal decimal = DoubleText.shortest(value, 1).stripTrailingZeros();
        final int exponent = decimal.precision() - decimal.scale() - 1;
        if (exponent >= PLAIN_FROM && exponent < PLAIN_BELOW)
        {
            return (decimal.scale() < 1 ? decimal.setScale(1) : decimal).toPlainString();
        }
        final String digits = decimal.movePointLeft(exponent).stripTrailingZeros().toPlainString();
        return digits + "e" + (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }
}
