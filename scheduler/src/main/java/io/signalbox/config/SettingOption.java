// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * How a command line sets a setting, and when the setting has an effect.
 *
 * @param name      such as {@code --kv-blocks}; of a flag, the form that turns it on.
 * @param label     of its value, such as {@code N}; empty for a flag.
 * @param help      an imperative without its period and without the default.
 * @param former    older names, which stay valid; of a flag, a name that begins with {@code !} turns it off.
 * @param unit      units of the setting in one unit of the option, such as 1e9 for seconds of a setting in nanoseconds.
 * @param path      finds the path of an input file in a value; {@code null}: values name no file.
 * @param condition {@code null}: the setting always has an effect.
 */
public record SettingOption(
    String name, String label, String help, List<String> former, double unit, Function<String, String> path,
    Condition<?> condition)
{
    /**
     * A value of another setting, without which the setting has no effect.
     *
     * @param words the allowed values of the other setting, in words that follow its name; empty for a flag that is on.
     */
    public record Condition<T>(Setting<T> other, String words, Predicate<T> test)
    {
        /** Whether the setting has an effect if the other one has this value. */
        @SuppressWarnings("unchecked")
        public boolean holdsFor(final Object value)
        {
            return test.test((T)value);
        }
    }

    static SettingOption of(final String name, final String label, final String help)
    {
        return new SettingOption(name, label, help, List.of(), 1, null, null);
    }

    SettingOption withFormer(final String... names)
    {
        return new SettingOption(name, label, help, List.of(names), unit, path, condition);
    }

    SettingOption withUnit(final double units)
    {
        return new SettingOption(name, label, help, former, units, path, condition);
    }

    SettingOption withPath(final Function<String, String> finder)
    {
        return new SettingOption(name, label, help, former, unit, finder, condition);
    }

    SettingOption withCondition(final Condition<?> needed)
    {
        return new SettingOption(name, label, help, former, unit, path, needed);
    }

    /** Whether the option is a flag with two forms, {@code --x} and {@code --no-x}. */
    public boolean isFlag()
    {
        return label.isEmpty();
    }

    /** Names with both forms of a flag, as help and documents show them. */
    public String shownName()
    {
        return isFlag() ? "--[no-]" + name.substring(2) : name;
    }
}
