// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import io.signalbox.ConfigException;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * One setting, declared once: name, unit, type, default, range and meaning. It reads, prints and checks its values, and the
 * tables of settings in the documents are generated from it.
 *
 * @param <T> the type of its values.
 */
public final class Setting<T>
{
    /** Products of a few weights with the largest loads stay finite up to here, so that every score is a number. */
    public static final double MAX_WEIGHT = 1.0E12;

    private final String name;
    private final String unit;
    private final String type;
    private final T defaultValue;
    private final String allowed;
    private final String remedy;
    private final String meaning;
    private final Function<String, T> parser;
    private final Function<T, String> printer;
    private final Predicate<T> range;

    private Setting(
        final String name,
        final String unit,
        final String type,
        final T defaultValue,
        final String allowed,
        final String remedy,
        final String meaning,
        final Function<String, T> parser,
        final Function<T, String> printer,
        final Predicate<T> range)
    {
        this.name = requireName(name);
        this.unit = unit;
        this.type = type;
        this.allowed = allowed;
        this.remedy = remedy;
        this.meaning = requireMeaning(name, meaning);
        this.parser = parser;
        this.printer = printer;
        this.range = range;
        this.defaultValue = check(defaultValue);
    }

    private static String requireName(final String name)
    {
        boolean plain = name != null && !name.isEmpty() && name.charAt(0) >= 'a' && name.charAt(0) <= 'z';
        for (int i = 0; plain && i < name.length(); i++)
        {
            final char c = name.charAt(i);
            plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
        }
        if (!plain)
        {
            throw ConfigException.of("name of a setting", name, "a lower-case letter followed by letters and digits",
                "declare it under such a name");
        }
        return name;
    }

    private static String requireMeaning(final String name, final String meaning)
    {
        if (meaning == null || meaning.isBlank())
        {
            throw new ConfigException("the setting " + name + " has no meaning; declare it with one sentence.");
        }
        return meaning;
    }

    /**
     * A number from {@code min} to {@code max}, both included; NaN is never allowed.
     *
     * @param unit    such as "tokens"; empty if it has none.
     * @param max     {@link Double#MAX_VALUE} allows every finite number from {@code min}.
     * @param meaning one sentence.
     */
    public static Setting<Double> real(
        final String name,
        final String unit,
        final double defaultValue,
        final double min,
        final double max,
        final String meaning)
    {
        final String allowed = max == Double.MAX_VALUE ? "a finite number >= " + text(min) :
            "a number between " + text(min) + " and " + text(max);
        return new Setting<>(name, unit, "number", defaultValue, allowed, "give a number in that range", meaning,
            Double::valueOf, value -> Double.toString(value), value -> value >= min && value <= max);
    }

    /** The factor of a term of a score: from 0 to {@link #MAX_WEIGHT}. */
    public static Setting<Double> weight(final String name, final double defaultValue, final String meaning)
    {
        return real(name, "", defaultValue, 0.0, MAX_WEIGHT, meaning);
    }

    /** A whole number of 32 bits from {@code min} to {@code max}, both included. */
    public static Setting<Integer> integer(
        final String name, final String unit, final int defaultValue, final int min, final int max, final String meaning)
    {
        return new Setting<>(name, unit, "whole number", defaultValue, "a whole number between " + min + " and " + max,
            "give a number in that range", meaning, Integer::valueOf, value -> Integer.toString(value),
            value -> value >= min && value <= max);
    }

    /** A whole number of 64 bits from {@code min} to {@code max}, both included. */
    public static Setting<Long> number(
        final String name, final String unit, final long defaultValue, final long min, final long max, final String meaning)
    {
        final boolean any = min == Long.MIN_VALUE && max == Long.MAX_VALUE;
        return new Setting<>(name, unit, "whole number", defaultValue,
            any ? "a whole number of 64 bits" : "a whole number between " + min + " and " + max,
            "give such a number", meaning, Long::valueOf, value -> Long.toString(value),
            value -> value >= min && value <= max);
    }

    /** {@code true} or {@code false}. */
    public static Setting<Boolean> flag(final String name, final boolean defaultValue, final String meaning)
    {
        return new Setting<>(name, "", "flag", defaultValue, "true or false", "give one of the two", meaning,
            text -> text.equals("true") ? Boolean.TRUE : text.equals("false") ? Boolean.FALSE : null,
            value -> Boolean.toString(value), value -> true);
    }

    /**
     * One of a few values with a label each.
     *
     * @param values all of them, in the order in which they are shown.
     * @param label  the text of a value; no two are the same.
     */
    public static <T> Setting<T> choice(
        final String name,
        final T defaultValue,
        final List<T> values,
        final Function<T, String> label,
        final String meaning)
    {
        final List<String> labels = values.stream().map(label).toList();
        return new Setting<>(name, "", "choice", defaultValue, "one of " + String.join(", ", labels), "give one of them",
            meaning, text -> labels.contains(text) ? values.get(labels.indexOf(text)) : null, label, values::contains);
    }

    private static String text(final double bound)
    {
        return bound == Math.rint(bound) && Math.abs(bound) < 1.0E9 ? Long.toString((long)bound) : Double.toString(bound);
    }

    /** Letters and digits, a lower-case letter first. */
    public String name()
    {
        return name;
    }

    /** The unit of its values; empty if it has none. */
    public String unit()
    {
        return unit;
    }

    /** The kind of its values, in words. */
    public String type()
    {
        return type;
    }

    public T defaultValue()
    {
        return defaultValue;
    }

    /** The allowed values, in words that fit after "is not". */
    public String allowed()
    {
        return allowed;
    }

    /** One sentence. */
    public String meaning()
    {
        return meaning;
    }

    /** The value as text; {@link #parse} reads it back exactly. */
    public String print(final T value)
    {
        return printer.apply(value);
    }

    /** @throws ConfigException if the text is not an allowed value. */
    public T parse(final String text)
    {
        T value;
        try
        {
            value = parser.apply(text.strip());
        }
        catch (final NumberFormatException e)
        {
            value = null;
        }
        if (value == null || !range.test(value))
        {
            throw refused(text);
        }
        return value;
    }

    /**
     * Returns the value.
     *
     * @throws ConfigException if the value is not allowed.
     */
    public T check(final T value)
    {
        if (value == null || !range.test(value))
        {
            throw refused(value == null ? "null" : print(value));
        }
        return value;
    }

    private ConfigException refused(final String text)
    {
        return ConfigException.of(name, text, allowed, remedy);
    }

    @Override
    public String toString()
    {
        return name;
    }
}
