// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.server.template.Function.Arguments;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The filters behind {@code |}. */
final class TemplateFilters
{
    private static final Map<String, Filter> ALL = new HashMap<>();

    static
    {
        texts();
        numbers();
        lists();
        selections();
    }

    private TemplateFilters()
    {
    }

    /** Makes another value of a value. */
    @FunctionalInterface
    interface Filter
    {
        Object apply(Object value, Arguments given, Rendering rendering);
    }

    /** @throws TemplateFault if there is no such filter. */
    static Filter get(final String name)
    {
        final Filter filter = ALL.get(name);
        if (filter == null)
        {
            throw new TemplateFault("the filter '" + name + "' is not known");
        }
        return filter;
    }

    private static void texts()
    {
        ALL.put("string", (value, given, r) -> TemplateText.of(value));
        ALL.put("safe", (value, given, r) -> TemplateText.of(value));
        ALL.put("trim", (value, given, r) ->
            TemplateMethods.strip(TemplateText.of(value), given.get(0, "chars", null), true, true));
        ALL.put("upper", (value, given, r) -> TemplateText.of(value).toUpperCase(Locale.ROOT));
        ALL.put("lower", (value, given, r) -> TemplateText.of(value).toLowerCase(Locale.ROOT));
        ALL.put("capitalize", (value, given, r) -> TemplateMethods.capitalized(TemplateText.of(value)));
        ALL.put("title", (value, given, r) -> title(TemplateText.of(value)));
        ALL.put("replace", (value, given, r) -> TemplateMethods.replace(TemplateText.of(value),
            TemplateText.of(given.require(0, "old")), TemplateText.of(given.require(1, "new")),
            given.get(2, "count", null), r));
        ALL.put("indent", (value, given, r) -> indent(TemplateMethods.text(value), given, r));
        ALL.put("tojson", (value, given, r) -> TemplateJson.of(value, given, r));
        ALL.put("escape", (value, given, r) -> escape(TemplateText.of(value)));
        ALL.put("e", ALL.get("escape"));
        ALL.put("format", (value, given, r) -> TemplateFormat.of(TemplateText.of(value), given.values()));
        ALL.put("wordcount", (value, given, r) ->
            (long)TemplateText.of(value).split("\\W+").length - (TemplateText.of(value).matches("(?s)\\W.*|") ? 1 : 0));
        ALL.put("default", (value, given, r) -> value instanceof Undefined ||
            TemplateValues.truth(given.get(1, "boolean", false)) && !TemplateValues.truth(value) ?
            given.get(0, "default_value", "") : value);
        ALL.put("d", ALL.get("default"));
    }

    private static void numbers()
    {
        ALL.put("int", (value, given, r) -> whole(value, given.get(0, "default", 0L)));
        ALL.put("float", (value, given, r) -> real(value, given.get(0, "default", 0.0)));
        ALL.put("abs", (value, given, r) -> TemplateValues.real(value) < 0 ? TemplateValues.negative(value) :
            TemplateValues.calculate('+', 0L, value));
        ALL.put("round", (value, given, r) -> round(value, given));
        ALL.put("sum", (value, given, r) ->
        {
            Object sum = given.get(1, "start", 0L);
            for (final Object element : each(value, given.get(0, "attribute", null), r))
            {
                sum = TemplateValues.add(sum, element, r);
            }
            return sum;
        });
        ALL.put("min", (value, given, r) -> extreme(value, given, r, Collections::min));
        ALL.put("max", (value, given, r) -> extreme(value, given, r, Collections::max));
    }

    private static void lists()
    {
        ALL.put("length", (value, given, r) -> TemplateValues.length(value));
        ALL.put("count", ALL.get("length"));
        ALL.put("list", (value, given, r) -> new ArrayList<>(TemplateValues.list(value)));
        ALL.put("first", (value, given, r) -> end(TemplateValues.list(value), true));
        ALL.put("last", (value, given, r) -> end(TemplateValues.list(value), false));
        ALL.put("reverse", (value, given, r) ->
        {
            final List<Object> all = new ArrayList<>(TemplateValues.list(value));
            Collections.reverse(all);
            return value instanceof String ? TemplateMethods.join("", all, r) : all;
        });
        ALL.put("join", (value, given, r) -> TemplateMethods.join(TemplateText.of(given.get(0, "d", "")),
            each(value, given.get(1, "attribute", null), r).stream().map(TemplateText::of).collect(Collectors.toList()), r));
        ALL.put("items", (value, given, r) -> value instanceof Undefined ? List.of() : TemplateMethods.items(value));
        ALL.put("dictsort", (value, given, r) -> sort(TemplateMethods.items(value),
            TemplateText.of(given.get(1, "by", "key")).equals("value") ? 1L : 0L,
            TemplateValues.truth(given.get(0, "case_sensitive", false)),
            TemplateValues.truth(given.get(2, "reverse", false)), r));
        ALL.put("sort", (value, given, r) -> sort(TemplateValues.list(value), given.get(2, "attribute", null),
            TemplateValues.truth(given.get(1, "case_sensitive", false)),
            TemplateValues.truth(given.get(0, "reverse", false)), r));
        ALL.put("unique", (value, given, r) ->
        {
            final Set<String> seen = new HashSet<>();
            return TemplateValues.list(value).stream().filter(element -> seen.add(TemplateText.quoted(folded(
                attribute(element, given.get(1, "attribute", null), r), given.get(0, "case_sensitive", false)))))
                .collect(Collectors.toList());
        });
    }

    private static void selections()
    {
        ALL.put("map", TemplateFilters::map);
        ALL.put("select", (value, given, r) -> select(value, given, false, true, r));
        ALL.put("reject", (value, given, r) -> select(value, given, false, false, r));
        ALL.put("selectattr", (value, given, r) -> select(value, given, true, true, r));
        ALL.put("rejectattr", (value, given, r) -> select(value, given, true, false, r));
    }

    private static Object map(final Object value, final Arguments given, final Rendering rendering)
    {
        final List<Object> out = new ArrayList<>();
        final Object attribute = given.named().get("attribute");
        final Filter filter = attribute == null ? get(TemplateText.of(given.require(0, "filter"))) : null;
        for (final Object element : TemplateValues.list(value))
        {
            final Object made = filter == null ? attribute(element, attribute, rendering) :
                filter.apply(element, given.from(1), rendering);
            out.add(made instanceof Undefined ? given.named().getOrDefault("default", made) : made);
        }
        rendering.step(out.size());
        return new Selected(out);
    }

    private static Object select(
        final Object value, final Arguments given, final boolean byAttribute, final boolean keeps, final Rendering rendering)
    {
        final Object attribute = byAttribute ? given.require(0, "attribute") : null;
        final int first = byAttribute ? 1 : 0;
        final TemplateTests.Test test = given.values().size() > first ?
            TemplateTests.get(TemplateText.of(given.values().get(first))) : (tested, none) -> TemplateValues.truth(tested);
        final Arguments of = given.from(first + 1);
        final List<Object> all = TemplateValues.list(value);
        rendering.step(all.size());
        return new Selected(all.stream().filter(element -> test.holds(attribute(element, attribute, rendering), of) == keeps)
            .collect(Collectors.toList()));
    }

    /** @param path names and places with points between them; {@code null}: the value itself. */
    private static Object attribute(final Object value, final Object path, final Rendering rendering)
    {
        if (path == null || path instanceof Long)
        {
            return path == null ? value : TemplateValues.element(value, path, rendering);
        }
        Object found = value;
        for (final String name : TemplateText.of(path).split("\\."))
        {
            found = TemplateValues.element(found, name.matches("\\d{1,9}") ? (Object)Long.valueOf(name) : name, rendering);
        }
        return found;
    }

    private static List<Object> each(final Object value, final Object attribute, final Rendering rendering)
    {
        final List<Object> out = new ArrayList<>();
        TemplateValues.list(value).forEach(element -> out.add(attribute(element, attribute, rendering)));
        return out;
    }

    private static Object folded(final Object value, final Object caseSensitive)
    {
        return value instanceof String && !TemplateValues.truth(caseSensitive) ?
            ((String)value).toLowerCase(Locale.ROOT) : value;
    }

    private static List<Object> sort(
        final List<Object> values, final Object attribute, final boolean caseSensitive, final boolean reverse,
        final Rendering rendering)
    {
        final Comparator<Object> order = (left, right) -> TemplateValues.compare(
            folded(attribute(left, attribute, rendering), caseSensitive),
            folded(attribute(right, attribute, rendering), caseSensitive));
        final List<Object> sorted = new ArrayList<>(values);
        rendering.step(sorted.size());
        sorted.sort(reverse ? order.reversed() : order);
        return sorted;
    }

    /** Finds the least or the greatest. */
    @FunctionalInterface
    private interface Extreme
    {
        Object of(List<Object> values, Comparator<Object> order);
    }

    private static Object extreme(
        final Object value, final Arguments given, final Rendering rendering, final Extreme extreme)
    {
        final List<Object> all = TemplateValues.list(value);
        final Object attribute = given.get(1, "attribute", null);
        final Object caseSensitive = given.get(0, "case_sensitive", false);
        return all.isEmpty() ? new Undefined("the extreme of an empty list") : extreme.of(all, (left, right) ->
            TemplateValues.compare(folded(attribute(left, attribute, rendering), caseSensitive),
                folded(attribute(right, attribute, rendering), caseSensitive)));
    }

    private static Object end(final List<Object> all, final boolean first)
    {
        return all.isEmpty() ? new Undefined("the end of an empty list") : all.get(first ? 0 : all.size() - 1);
    }

    private static String title(final String text)
    {
        final StringBuilder out = new StringBuilder();
        boolean begins = true;
        for (final int c : text.codePoints().toArray())
        {
            out.appendCodePoint(begins ? Character.toUpperCase(c) : Character.toLowerCase(c));
            begins = Character.isWhitespace(c) || "-({[<".indexOf(c) >= 0;
        }
        return out.toString();
    }

    private static String indent(final String text, final Arguments given, final Rendering rendering)
    {
        final Object width = given.get(0, "width", 4L);
        final String blanks = width instanceof String ? (String)width :
            " ".repeat((int)Math.max(0, Math.min(1000, TemplateFunctions.whole(width))));
        final boolean blank = TemplateValues.truth(given.get(2, "blank", false));
        final List<Object> lines = TemplateMethods.lines(text + "\n");
        rendering.length(text.length() + (long)lines.size() * blanks.length());
        final StringBuilder out = new StringBuilder();
        for (int i = 0; i < lines.size(); i++)
        {
            final String line = (String)lines.get(i);
            final boolean indented = i == 0 ? TemplateValues.truth(given.get(1, "first", false)) : blank || !line.isEmpty();
            out.append(i == 0 ? "" : "\n").append(indented ? blanks : "").append(line);
        }
        return out.toString();
    }

    private static String escape(final String text)
    {
        return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;").replace("'", "&#39;")
            .replace("\"", "&#34;");
    }

    private static Object whole(final Object value, final Object absent)
    {
        try
        {
            return value instanceof String ?
                (Object)new BigDecimal(((String)value).strip().replace("_", "")).toBigInteger().longValueExact() :
                TemplateValues.isNumber(value) || value instanceof Undefined ?
                (Object)new BigDecimal(TemplateValues.real(value)).toBigInteger().longValueExact() : absent;
        }
        catch (final NumberFormatException e)
        {
            return absent;
        }
    }

    private static Object real(final Object value, final Object absent)
    {
        try
        {
            return value instanceof String ? (Object)Double.valueOf(((String)value).strip()) :
                TemplateValues.isNumber(value) || value instanceof Undefined ? (Object)TemplateValues.real(value) : absent;
        }
        catch (final NumberFormatException e)
        {
            return absent;
        }
    }

    private static Object round(final Object value, final Arguments given)
    {
        final long digits = Math.max(-300, Math.min(300, TemplateFunctions.whole(given.get(0, "precision", 0L))));
        final RoundingMode mode = switch (TemplateText.of(given.get(1, "method", "common")))
        {
            case "common" -> RoundingMode.HALF_EVEN;
            case "ceil" -> RoundingMode.CEILING;
            case "floor" -> RoundingMode.FLOOR;
            default -> throw new TemplateFault("a number is rounded by common, ceil or floor");
        };
        final BigDecimal rounded = new BigDecimal(TemplateValues.real(value)).setScale((int)digits, mode);
        return !(value instanceof Double) && mode == RoundingMode.HALF_EVEN ? (Object)rounded.longValue() :
            (Object)rounded.doubleValue();
    }
}
