// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The functions that every template has. */
final class TemplateFunctions
{
    private static final long MOST_NUMBERS = 100_000;
    /** Of Python's letters for times, those of Java. */
    private static final Map<Character, String> TIMES = Map.ofEntries(Map.entry('Y', "uuuu"), Map.entry('y', "uu"),
        Map.entry('m', "MM"), Map.entry('d', "dd"), Map.entry('B', "MMMM"), Map.entry('b', "MMM"), Map.entry('A', "EEEE"),
        Map.entry('a', "EEE"), Map.entry('H', "HH"), Map.entry('I', "hh"), Map.entry('M', "mm"), Map.entry('S', "ss"),
        Map.entry('p', "a"), Map.entry('j', "DDD"), Map.entry('Z', "zzz"), Map.entry('z', "xx"));

    private TemplateFunctions()
    {
    }

    /** {@code null}: there is no such function. */
    static Function get(final String name, final Rendering rendering)
    {
        return switch (name)
        {
            case "range" -> given -> range(given, rendering);
            case "namespace" -> given -> new Namespace(values(given));
            case "dict" -> TemplateFunctions::values;
            case "raise_exception" -> given ->
            {
                throw new TemplateFault(TemplateText.of(given.require(0, "message")));
            };
            case "strftime_now" -> given -> time(rendering.now(), TemplateMethods.text(given.require(0, "format")));
            default -> null;
        };
    }

    private static Map<String, Object> values(final Function.Arguments given)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        if (given.get(0, "", null) instanceof Map)
        {
            ((Map<?, ?>)given.values().get(0)).forEach((key, value) -> values.put(TemplateText.of(key), value));
        }
        values.putAll(given.named());
        return values;
    }

    private static List<Object> range(final Function.Arguments given, final Rendering rendering)
    {
        final long first = whole(given.require(0, "start"));
        final boolean isLimit = given.values().size() == 1;
        final long from = isLimit ? 0 : first;
        final long to = isLimit ? first : whole(given.require(1, "stop"));
        final long by = given.values().size() > 2 ? whole(given.values().get(2)) : 1;
        if (by == 0)
        {
            throw new TemplateFault("the step of a range is 0");
        }
        final List<Object> numbers = new ArrayList<>();
        for (long i = from; by > 0 ? i < to : i > to; i = Math.addExact(i, by))
        {
            if (numbers.size() == MOST_NUMBERS)
            {
                throw new TemplateFault("a range has more than " + MOST_NUMBERS + " numbers");
            }
            numbers.add(i);
        }
        rendering.step(numbers.size());
        return numbers;
    }

    static long whole(final Object value)
    {
        if (!(value instanceof Long))
        {
            throw value instanceof Undefined ? ((Undefined)value).fault() : new TemplateFault(
                "a whole number is needed, and a value of type " + TemplateValues.type(value) + " is given");
        }
        return (Long)value;
    }

    private static String time(final ZonedDateTime now, final String format)
    {
        final StringBuilder out = new StringBuilder();
        for (int i = 0; i < format.length(); i++)
        {
            final char c = format.charAt(i);
            if (c != '%' || i + 1 == format.length())
            {
                out.append(c);
                continue;
            }
            i++;
            final String pattern = TIMES.get(format.charAt(i));
            if (pattern == null && format.charAt(i) != '%')
            {
                throw new TemplateFault("strftime_now does not know '%" + format.charAt(i) + "'");
            }
            out.append(pattern == null ? "%" : DateTimeFormatter.ofPattern(pattern, Locale.US).format(now));
        }
        return out.toString();
    }
}
