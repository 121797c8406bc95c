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
    private final Uses uses;

    /**
     * How commands and other systems know the setting.
     *
     * @param option {@code null}: no option sets it.
     */
    private record Uses(SettingOption option, ForeignNames names)
    {
        private static final Uses NONE = new Uses(null, new ForeignNames("", "", ""));
    }

    /** The names of the same setting in other systems; empty if a system does not have it. */
    public record ForeignNames(String vllm, String sglang, String tensorRtLlm)
    {
        public boolean isEmpty()
        {
            return vllm.isEmpty() && sglang.isEmpty() && tensorRtLlm.isEmpty();
        }
    }

    private Setting(
        final String name,
        final String unit,
        final AllowedValues<T> values,
        final T defaultValue,
        final T omittedValue,
        final String remedy,
        final String meaning,
        final Uses uses)
    {
        this.name = requireName(name);
        this.unit = unit;
        this.values = values;
        this.remedy = remedy;
        this.uses = uses;
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
        return new Setting<>(name, unit, values, defaultValue, null, remedy, meaning, Uses.NONE);
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
        return declared(name, "", AllowedValues.choices(labels, values, label), defaultValue, "give one of them", meaning);
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
        return with(omittedValue, advice, uses);
    }

    /** The same setting, which older run descriptions omit. */
    public Setting<T> omitted(final T value)
    {
        return with(value, remedy, uses);
    }

    private Setting<T> with(final SettingOption option)
    {
        return with(omittedValue, remedy, new Uses(option, uses.names));
    }

    private Setting<T> with(final T omitted, final String advice, final Uses known)
    {
        return new Setting<>(name, unit, values, defaultValue, omitted, advice, meaning, known);
    }

    /**
     * The same setting with an option of the command line.
     *
     * @param label of its value, such as "N".
     * @param help  an imperative without its period and without the default.
     */
    public Setting<T> option(final String optionName, final String label, final String help)
    {
        return with(SettingOption.of(optionName, label, help));
    }

    /** The same setting with a flag of the command line, which has a form {@code --no-…} too. */
    public Setting<T> option(final String optionName, final String help)
    {
        return option(optionName, "", help);
    }

    /**
     * The same setting, whose option had other names, which stay valid.
     *
     * @param names of a flag, a name that begins with {@code !} turns it off.
     */
    public Setting<T> formerly(final String... names)
    {
        return with(uses.option.withFormer(names));
    }

    /** The same setting in nanoseconds or milliseconds, whose option is in seconds. */
    public Setting<T> optionInSeconds()
    {
        return with(uses.option.withUnit(unit.equals("ms") ? 1e3 : 1e9));
    }

    /** @param finder finds the path of an input file in a value of the option; {@code null}: the value names no file. */
    public Setting<T> namesFile(final Function<String, String> finder)
    {
        return with(uses.option.withPath(finder));
    }

    /** The same setting, which has an effect only if a flag is on. */
    public Setting<T> onlyWith(final Setting<Boolean> flag)
    {
        return with(uses.option.withCondition(new SettingOption.Condition<>(flag, "", value -> value)));
    }

    /** The same setting, which has an effect only if another one has this value. */
    public <U> Setting<T> onlyWith(final Setting<U> other, final U value)
    {
        return with(uses.option.withCondition(new SettingOption.Condition<>(other, other.optionText(value), value::equals)));
    }

    /** The same setting, which has an effect only if another one is above 0. */
    public <U extends Number> Setting<T> onlyAboveZero(final Setting<U> other)
    {
        return with(uses.option.withCondition(
            new SettingOption.Condition<>(other, "above 0", value -> value.doubleValue() > 0)));
    }

    /** The same setting with its names in other systems; empty: the system does not have it. */
    public Setting<T> elsewhere(final String vllm, final String sglang, final String tensorRtLlm)
    {
        return with(omittedValue, remedy, new Uses(uses.option, new ForeignNames(vllm, sglang, tensorRtLlm)));
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

    /** The option of the command line; {@code null}: no option sets it. */
    public SettingOption option()
    {
        return uses.option;
    }

    /** The names of the same setting in other systems. */
    public ForeignNames elsewhere()
    {
        return uses.names;
    }

    /** The texts of the values on the command line, if there are only a few; empty otherwise. */
    public List<String> optionTexts()
    {
        return values.labels().stream().map(AllowedValues::optionText).toList();
    }

    /** The value as the command line has it: a constant is in lower case with hyphens, everything else as printed. */
    public String optionText(final T value)
    {
        return values.labels().isEmpty() ? print(value) : AllowedValues.optionText(print(value));
    }

    /** @throws ConfigException if the text of an option is not an allowed value. */
    public T parseOption(final String text)
    {
        final int at = optionTexts().indexOf(text);
        if (at < 0 && !values.labels().isEmpty())
        {
            throw refused(text, "one of " + String.join(", ", optionTexts()));
        }
        return parse(at < 0 ? text : values.labels().get(at));
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
