// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts with places for values, as {@code %} of Python fills them. */
final class TemplateFormat
{
    private static final Pattern PLACE = Pattern.compile("%([-0+ ]{0,4})(\\d{0,3})(?:\\.(\\d{1,2}))?(.|$)", Pattern.DOTALL);

    private TemplateFormat()
    {
    }

    static String of(final String text, final List<?> values)
    {
        final StringBuilder out = new StringBuilder();
        final Matcher places = PLACE.matcher(text);
        int next = 0;
        int at = 0;
        while (places.find(at))
        {
            out.append(text, at, places.start());
            at = places.end();
            if (places.group(4).equals("%"))
            {
                out.append('%');
                continue;
            }
            if (next == values.size())
            {
                throw new TemplateFault("a format has more places than values");
            }
            out.append(filled(places, values.get(next++)));
        }
        if (next < values.size())
        {
            throw new TemplateFault("a format has fewer places than values");
        }
        return out.append(text.substring(at)).toString();
    }

    private static String filled(final Matcher place, final Object value)
    {
        final String precision = place.group(3);
        final String text = switch (place.group(4))
        {
            case "s" -> cut(TemplateText.of(value), precision);
            case "r" -> cut(TemplateText.quoted(value), precision);
            case "d", "i" -> Long.toString((long)TemplateValues.real(number(value)));
            case "f" -> String.format(Locale.ROOT, "%." + (precision == null ? "6" : precision) + "f",
                TemplateValues.real(number(value)));
            case "x" -> Long.toHexString(TemplateFunctions.whole(value));
            default -> throw new TemplateFault("a format has '%" + place.group(4) + "', which is not known");
        };
        final boolean isNumber = !"sr".contains(place.group(4));
        final String flags = place.group(1);
        final String signed = isNumber && !text.startsWith("-") ?
            (flags.contains("+") ? "+" : flags.contains(" ") ? " " : "") + text : text;
        final int missing = (place.group(2).isEmpty() ? 0 : Integer.parseInt(place.group(2))) - signed.length();
        if (missing <= 0)
        {
            return signed;
        }
        if (isNumber && flags.contains("0") && !flags.contains("-"))
        {
            final int sign = signed.length() - signed.replaceFirst("^[-+ ]", "").length();
            return signed.substring(0, sign) + "0".repeat(missing) + signed.substring(sign);
        }
        return flags.contains("-") ? signed + " ".repeat(missing) : " ".repeat(missing) + signed;
    }

    private static Object number(final Object value)
    {
        if (!TemplateValues.isNumber(value))
        {
            throw new TemplateFault(
                "a format needs a number, and a value of type " + TemplateValues.type(value) + " is given");
        }
        return value;
    }

    private static String cut(final String text, final String precision)
    {
        return precision == null ? text : text.substring(0, Math.min(text.length(), Integer.parseInt(precision)));
    }
}
