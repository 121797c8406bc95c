// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.server.template.Function.Arguments;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The methods of texts, lists and maps, without those that change a value. */
final class TemplateMethods
{
    private static final Map<String, Method<String>> OF_TEXTS = new HashMap<>();
    private static final Map<String, Method<List<?>>> OF_LISTS = new HashMap<>();
    private static final Map<String, Method<Map<?, ?>>> OF_MAPS = new HashMap<>();

    static
    {
        OF_TEXTS.put("strip", (text, given, r) -> strip(text, given.get(0, "chars", null), true, true));
        OF_TEXTS.put("lstrip", (text, given, r) -> strip(text, given.get(0, "chars", null), true, false));
        OF_TEXTS.put("rstrip", (text, given, r) -> strip(text, given.get(0, "chars", null), false, true));
        OF_TEXTS.put("split", (text, given, r) -> split(text, given, false));
        OF_TEXTS.put("rsplit", (text, given, r) -> split(text, given, true));
        OF_TEXTS.put("splitlines", (text, given, r) -> lines(text));
        OF_TEXTS.put("startswith", (text, given, r) -> any(given.require(0, "prefix"), text::startsWith));
        OF_TEXTS.put("endswith", (text, given, r) -> any(given.require(0, "suffix"), text::endsWith));
        OF_TEXTS.put("upper", (text, given, r) -> text.toUpperCase(Locale.ROOT));
        OF_TEXTS.put("lower", (text, given, r) -> text.toLowerCase(Locale.ROOT));
        OF_TEXTS.put("title", (text, given, r) -> title(text));
        OF_TEXTS.put("capitalize", (text, given, r) -> capitalized(text));
        OF_TEXTS.put("replace", (text, given, r) -> replace(text, text(given.require(0, "old")),
            text(given.require(1, "new")), given.get(2, "count", -1L), r));
        OF_TEXTS.put("find", (text, given, r) -> place(text, text.indexOf(text(given.require(0, "sub")))));
        OF_TEXTS.put("rfind", (text, given, r) -> place(text, text.lastIndexOf(text(given.require(0, "sub")))));
        OF_TEXTS.put("count", (text, given, r) -> count(text, text(given.require(0, "sub"))));
        OF_TEXTS.put("join", (text, given, r) -> join(text, TemplateValues.list(given.require(0, "iterable")), r));
        OF_TEXTS.put("isdigit", (text, given, r) -> isAll(text, Character::isDigit));
        OF_TEXTS.put("isalpha", (text, given, r) -> isAll(text, Character::isLetter));
        OF_TEXTS.put("isalnum", (text, given, r) -> isAll(text, Character::isLetterOrDigit));
        OF_TEXTS.put("isspace", (text, given, r) -> isAll(text, Character::isWhitespace));
        OF_TEXTS.put("isupper", (text, given, r) -> isCase(text, text.toUpperCase(Locale.ROOT)));
        OF_TEXTS.put("islower", (text, given, r) -> isCase(text, text.toLowerCase(Locale.ROOT)));
        OF_TEXTS.put("removeprefix", (text, given, r) -> text.startsWith(text(given.require(0, "prefix"))) ?
            text.substring(text(given.values().get(0)).length()) : text);
        OF_TEXTS.put("removesuffix", (text, given, r) -> text.endsWith(text(given.require(0, "suffix"))) ?
            text.substring(0, text.length() - text(given.values().get(0)).length()) : text);
        OF_LISTS.put("index", (list, given, r) -> index(list, given.require(0, "value")));
        OF_LISTS.put("count", (list, given, r) ->
            list.stream().filter(element -> TemplateValues.equal(element, given.require(0, "value"))).count());
        OF_MAPS.put("get", (map, given, r) -> map.containsKey(given.require(0, "key")) ?
            map.get(given.values().get(0)) : given.get(1, "default", null));
        OF_MAPS.put("items", (map, given, r) -> items(map));
        OF_MAPS.put("keys", (map, given, r) -> new ArrayList<>(map.keySet()));
        OF_MAPS.put("values", (map, given, r) -> new ArrayList<>(map.values()));
    }

    private TemplateMethods()
    {
    }

    /** A method of a type of values. */
    @FunctionalInterface
    private interface Method<T>
    {
        Object call(T value, Arguments given, Rendering rendering);
    }

    /** The method of the value with this name; {@code null}: there is none. */
    static Function of(final Object value, final String name, final Rendering rendering)
    {
        return value instanceof String ? bound(OF_TEXTS.get(name), (String)value, rendering) :
            value instanceof List ? bound(OF_LISTS.get(name), (List<?>)value, rendering) :
            value instanceof Map ? bound(OF_MAPS.get(name), (Map<?, ?>)value, rendering) : null;
    }

    private static <T> Function bound(final Method<T> method, final T value, final Rendering rendering)
    {
        return method == null ? null : given -> method.call(value, given, rendering);
    }

    static String text(final Object value)
    {
        if (!(value instanceof String))
        {
            throw value instanceof Undefined ? ((Undefined)value).fault() :
                new TemplateFault("a text is needed, and a value of type " + TemplateValues.type(value) + " is given");
        }
        return (String)value;
    }

    static List<Object> items(final Object map)
    {
        if (!(map instanceof Map))
        {
            throw new TemplateFault("a map is needed, and a value of type " + TemplateValues.type(map) + " is given");
        }
        final List<Object> items = new ArrayList<>();
        ((Map<?, ?>)map).forEach((key, value) -> items.add(new Tuple(Arrays.asList(key, value))));
        return items;
    }

    /** @param characters {@code null}: blanks. */
    static String strip(final String text, final Object characters, final boolean front, final boolean back)
    {
        final String all = characters == null ? null : text(characters);
        final IntPredicate goes = c -> all == null ? Character.isWhitespace(c) || c == '\u00a0' || c == '\u0085' :
            all.indexOf(c) >= 0;
        int from = 0;
        int to = text.length();
        while (front && from < to && goes.test(text.codePointAt(from)))
        {
            from += Character.charCount(text.codePointAt(from));
        }
        while (back && to > from && goes.test(text.codePointBefore(to)))
        {
            to -= Character.charCount(text.codePointBefore(to));
        }
        return text.substring(from, to);
    }

    private static List<Object> split(final String text, final Arguments given, final boolean fromEnd)
    {
        final Object separator = given.get(0, "sep", null);
        final long most = (Long)given.get(1, "maxsplit", -1L);
        final List<Object> parts = new ArrayList<>();
        String rest = separator == null ? strip(text, null, true, true) : text;
        while (most < 0 || parts.size() < most)
        {
            final int[] found = separator(rest, separator, fromEnd);
            if (found == null)
            {
                break;
            }
            parts.add(fromEnd ? rest.substring(found[1]) : rest.substring(0, found[0]));
            rest = fromEnd ? rest.substring(0, found[0]) : rest.substring(found[1]);
            rest = separator == null ? strip(rest, null, true, true) : rest;
        }
        if (separator != null || !rest.isEmpty())
        {
            parts.add(rest);
        }
        if (fromEnd)
        {
            Collections.reverse(parts);
        }
        return parts;
    }

    /** Begin and end of the next separator; {@code null}: there is none. */
    private static int[] separator(final String text, final Object separator, final boolean last)
    {
        if (separator != null)
        {
            final String sign = text(separator);
            if (sign.isEmpty())
            {
                throw new TemplateFault("the separator is empty");
            }
            final int at = last ? text.lastIndexOf(sign) : text.indexOf(sign);
            return at < 0 ? null : new int[] {at, at + sign.length()};
        }
        for (int i = 0; i < text.length(); i++)
        {
            final int at = last ? text.length() - 1 - i : i;
            if (Character.isWhitespace(text.charAt(at)))
            {
                return new int[] {at, at + 1};
            }
        }
        return null;
    }

    static List<Object> lines(final String text)
    {
        return text.isEmpty() ? List.of() : text.lines().collect(Collectors.toList());
    }

    private static boolean any(final Object candidates, final Predicate<String> test)
    {
        return candidates instanceof List ? ((List<?>)candidates).stream().anyMatch(one -> test.test(text(one))) :
            test.test(text(candidates));
    }

    private static String title(final String text)
    {
        final StringBuilder out = new StringBuilder();
        boolean inWord = false;
        for (final int c : text.codePoints().toArray())
        {
            out.appendCodePoint(inWord ? Character.toLowerCase(c) : Character.toTitleCase(c));
            inWord = Character.isLetter(c);
        }
        return out.toString();
    }

    static String capitalized(final String text)
    {
        final int first = text.isEmpty() ? 0 : Character.charCount(text.codePointAt(0));
        return text.substring(0, first).toUpperCase(Locale.ROOT) +
            text.substring(first).toLowerCase(Locale.ROOT);
    }

    /** @param count of replacements at most; below 0: all. */
    static String replace(
        final String text, final String old, final String replacement, final Object count, final Rendering rendering)
    {
        if (old.isEmpty())
        {
            throw new TemplateFault("the text to replace is empty");
        }
        final StringBuilder out = new StringBuilder();
        int from = 0;
        for (long left = count == null ? -1 : (Long)count; left != 0; left--)
        {
            final int at = text.indexOf(old, from);
            if (at < 0)
            {
                break;
            }
            out.append(text, from, at).append(replacement);
            from = at + old.length();
            if (out.length() > Rendering.MOST_CHARACTERS)
            {
                break;
            }
        }
        rendering.length((long)out.length() + text.length() - from);
        return out.append(text, from, text.length()).toString();
    }

    private static long place(final String text, final int index)
    {
        return index < 0 ? -1 : text.codePointCount(0, index);
    }

    private static long count(final String text, final String part)
    {
        if (part.isEmpty())
        {
            return text.codePointCount(0, text.length()) + 1;
        }
        long count = 0;
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length()))
        {
            count++;
        }
        return count;
    }

    static String join(final String separator, final List<?> parts, final Rendering rendering)
    {
        final StringBuilder out = new StringBuilder();
        for (int i = 0; i < parts.size(); i++)
        {
            out.append(i == 0 ? "" : separator).append(text(parts.get(i)));
            if (out.length() > Rendering.MOST_CHARACTERS)
            {
                rendering.length(out.length());
            }
        }
        rendering.length(out.length());
        return out.toString();
    }

    private static boolean isAll(final String text, final IntPredicate test)
    {
        return !text.isEmpty() && text.codePoints().allMatch(test);
    }

    private static boolean isCase(final String text, final String changed)
    {
        return text.equals(changed) && text.codePoints().anyMatch(c -> Character.isUpperCase(c) || Character.isLowerCase(c));
    }

    private static long index(final List<?> list, final Object value)
    {
        for (int i = 0; i < list.size(); i++)
        {
            if (TemplateValues.equal(list.get(i), value))
            {
                return i;
            }
        }
        throw new TemplateFault("the list does not have " + TemplateText.quoted(value));
    }
}
