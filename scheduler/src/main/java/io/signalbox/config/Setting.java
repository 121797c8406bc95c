// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import io.signalbox.ConfigException;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

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

    /** Words of letters and digits; a dot separates the name of a part of a configuration from the name within it. */
    private static final Pattern NAME = Pattern.compile("[a-z][a-zA-Z0-9]*([.][a-z][a-zA-Z0-9]*)*");
    private static final int MAX_SHOWN = 120;
    private static final String IN_RANGE = "give a number in that range";

    private final String name;
    private final String unit;
    private final String meaning;
    private final AllowedValues<T> values;
    private final T defaultValue;
    /** Its value in a run description that omits it; {@code null}: none may. */
    private final T omittedValue;
    private final String remedy;

    private Setting(
        final String name,
        final String unit,
        final AllowedValues<T> values,
        final T defaultValue,
        final T omittedValue,
        final String remedy,
        final String meaning)
    {
        this.name = requireName(name);
        this.unit = unit;
        this.values = values;
        this.remedy = remedy;
        this.meaning = requireMeaning(name, meaning);
        this.defaultValue = check(defaultValue);
        this.omittedValue = omittedValue == null ? null : check(omittedValue);
    }

    private static <T> Setting<T> declared(
        final String name,
        final String unit,
        final AllowedValues<T> values,
        final T defaultValue,
        final String remedy,
        final String meaning)
    {
        return new Setting<>(name, unit, values, defaultValue, null, remedy, meaning);
    }

    private static String requireName(final String name)
    {
        if (name == null || !NAME.matcher(name).matches())
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
     * @param min     {@link Double#MIN_VALUE} allows every number above 0.
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
        return declared(name, unit, AllowedValues.reals(min, max), defaultValue, IN_RANGE, meaning);
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
        return declared(name, unit, AllowedValues.integers(min, max), defaultValue, IN_RANGE, meaning);
    }

    /** A whole number of 64 bits from {@code min} to {@code max}, both included. */
    public static Setting<Long> number(
        final String name, final String unit, final long defaultValue, final long min, final long max, final String meaning)
    {
        return declared(name, unit, AllowedValues.numbers(min, max), defaultValue, "give such a number", meaning);
    }

    /** {@code true} or {@code false}. */
    public static Setting<Boolean> flag(final String name, final boolean defaultValue, final String meaning)
    {
        return declared(name, "", AllowedValues.of("flag", "true or false",
            text -> text.equals("true") ? Boolean.TRUE : text.equals("false") ? Boolean.FALSE : null,
            value -> Boolean.toString(value), value -> true), defaultValue, "give one of the two", meaning);
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
        return declared(name, "", AllowedValues.of("choice", "one of " + String.join(", ", labels),
            text -> labels.contains(text) ? values.get(labels.indexOf(text)) : null, label, values::contains),
            defaultValue, "give one of them", meaning);
    }

    /** One of the constants of an enum, by name. */
    public static <T extends Enum<T>> Setting<T> constant(final String name, final T defaultValue, final String meaning)
    {
        return choice(name, defaultValue, List.of(defaultValue.getDeclaringClass().getEnumConstants()), Enum::name, meaning);
    }

    /**
     * A value with a text form.
     *
     * @param forms   the forms, in words that fit after "is not".
     * @param parser  returns {@code null} if the text has none of the forms. A {@link ConfigException} that names a setting
     *                or is a clause says why a value in one of them is not usable; any other one is passed on.
     * @param printer the parser reads its text back exactly.
     */
    public static <T> Setting<T> form(
        final String name,
        final String unit,
        final T defaultValue,
        final String forms,
        final Function<String, T> parser,
        final Function<T, String> printer,
        final String meaning)
    {
        return declared(name, unit, AllowedValues.of("text", forms, parser, printer, value -> true), defaultValue,
            "give " + forms, meaning);
    }

    /** The same setting with another remedy, an imperative without a period. */
    public Setting<T> remedy(final String advice)
    {
        return new Setting<>(name, unit, values, defaultValue, omittedValue, advice, meaning);
    }

    /** The same setting, which older run descriptions omit. */
    public Setting<T> omitted(final T value)
    {
        return new Setting<>(name, unit, values, defaultValue, value, remedy, meaning);
    }

    /** Text of the value that older run descriptions mean, which omit the setting; absent if none does. */
    public Optional<String> omitted()
    {
        return Optional.ofNullable(omittedValue).map(this::print);
    }

    /** The same whole numbers as far as they are powers of two. */
    public Setting<T> powerOfTwo()
    {
        return declared(name, unit, values.powersOfTwo(), defaultValue, remedy, meaning);
    }

    /**
     * The same setting, whose value may be absent; by default it is.
     *
     * @param absent the text of the absent value, such as "automatic".
     */
    public Setting<Optional<T>> orAbsent(final String absent)
    {
        return declared(name, unit, values.orAbsent(absent), Optional.empty(), remedy, meaning);
    }

    /** A list of different values of this setting, separated by commas; the default has the default value alone. */
    public Setting<List<T>> list()
    {
        return declared(name, unit, values.lists(), List.of(defaultValue), remedy, meaning);
    }

    /** Words of letters and digits, each with a lower-case letter first, separated by dots. */
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
        return values.type();
    }

    public T defaultValue()
    {
        return defaultValue;
    }

    /** The allowed values, in words that fit after "is not". */
    public String allowed()
    {
        return values.words();
    }

    /** The remedy for a value that is not allowed, an imperative without a period. */
    public String advice()
    {
        return remedy;
    }

    /** One sentence. */
    public String meaning()
    {
        return meaning;
    }

    /** The value as text; {@link #parse} reads it back exactly. */
    public String print(final T value)
    {
        return values.printer().apply(value);
    }

    /** The value within a sentence about a fault. */
    public ConfigException.Named of(final T value)
    {
        return new ConfigException.Named(name, print(value));
    }

    /** The setting within a sentence about a fault. */
    public ConfigException.Named named()
    {
        return new ConfigException.Named(name, null);
    }

    /** @throws ConfigException if the text is not an allowed value. */
    public T parse(final String text)
    {
        final T value;
        try
        {
            value = text == null ? null : values.parser().apply(text.strip());
        }
        catch (final NumberFormatException e)
        {
            throw refused(text, values.words());
        }
        catch (final ConfigException e)
        {
            if (e.settings().isEmpty() && e.getMessage().endsWith("."))
            {
                throw e;
            }
            final ConfigException.Named named = new ConfigException.Named(name, shown(text));
            throw ConfigException.because(named, " is not usable (" + e.fault() + ")")
                .allowed(values.words()).remedy(remedy);
        }
        if (value == null || !values.test().test(value))
        {
            throw refused(text, values.words());
        }
        return value;
    }

    /**
     * Reads what was {@link #print printed} into a run description under the prefix and the name.
     *
     * @throws ConfigException if it is missing there, or not allowed; it names the setting with the prefix.
     */
    public T read(final String prefix, final Map<String, String> printed)
    {
        final String text = printed.get(prefix + name);
        if (text == null && omittedValue == null)
        {
            throw ConfigException.because("the setting ", new ConfigException.Named(prefix + name, null), " is missing")
                .allowed(allowed()).remedy("a run description names every setting");
        }
        try
        {
            return text == null ? omittedValue : parse(text);
        }
        catch (final ConfigException e)
        {
            throw e.renamed(setting -> prefix + setting);
        }
    }

    /**
     * Returns the value.
     *
     * @throws ConfigException if the value is not allowed.
     */
    public T check(final T value)
    {
        if (value == null)
        {
            throw refused("null", values.words());
        }
        if (!values.test().test(value))
        {
            throw refused(print(value), values.bounds());
        }
        return value;
    }

    private ConfigException refused(final String text, final String allowed)
    {
        return ConfigException.of(name, shown(text), allowed, remedy);
    }

    /** A sentence has room for the beginning of a long value. */
    private static String shown(final String text)
    {
        return text == null || text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }

    @Override
    public String toString()
    {
        return name;
    }
}
