// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import io.signalbox.ConfigException;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A value for each of some declared settings. Immutable; every value is one that its setting allows. */
public final class SettingValues
{
    private final String owner;
    private final List<Setting<?>> settings;
    private final Object[] values;

    private SettingValues(final String owner, final List<Setting<?>> settings, final Object[] values)
    {
        this.owner = owner;
        this.settings = settings;
        this.values = values;
    }

    /**
     * The default of every setting.
     *
     * @param owner    whose settings they are, in words that start a sentence, such as "the kv-aware router".
     * @param settings no two have the same name.
     */
    public static SettingValues defaults(final String owner, final List<Setting<?>> settings)
    {
        return new SettingValues(owner, List.copyOf(settings), settings.stream().map(Setting::defaultValue).toArray());
    }

    public List<Setting<?>> settings()
    {
        return settings;
    }

    /** @throws IllegalArgumentException if the setting is not one of these. */
    @SuppressWarnings("unchecked")
    public <T> T get(final Setting<T> setting)
    {
        for (int i = 0; i < values.length; i++)
        {
            if (settings.get(i) == setting)
            {
                return (T)values[i];
            }
        }
        throw unknown(setting);
    }

    /**
     * These values with another one for one setting.
     *
     * @param value the value or its text.
     * @throws ConfigException if no setting has this name, or it does not allow the value.
     */
    public SettingValues with(final String name, final Object value)
    {
        final int index = requireKnown(name);
        final Object[] changed = values.clone();
        changed[index] = settings.get(index).parse(text(settings.get(index), value));
        return new SettingValues(owner, settings, changed);
    }

    /**
     * These values with another one for one setting.
     *
     * @throws ConfigException          if the setting does not allow the value.
     * @throws IllegalArgumentException if the setting is not one of these.
     */
    public <T> SettingValues with(final Setting<T> setting, final T value)
    {
        final int index = settings.indexOf(setting);
        if (index < 0)
        {
            throw unknown(setting);
        }
        final Object[] changed = values.clone();
        changed[index] = setting.check(value);
        return new SettingValues(owner, settings, changed);
    }

    private IllegalArgumentException unknown(final Setting<?> setting)
    {
        return new IllegalArgumentException(owner + " does not declare the setting " + setting.name() + ".");
    }

    /** A number of another type than the setting's counts by its text. */
    private static <T> String text(final Setting<T> setting, final Object value)
    {
        final boolean byText = value == null || value instanceof CharSequence ||
            value instanceof Number && value.getClass() != setting.defaultValue().getClass();
        return byText ? String.valueOf(value) : printed(setting, value);
    }

    @SuppressWarnings("unchecked")
    private static <T> String printed(final Setting<T> setting, final Object value)
    {
        try
        {
            return setting.print((T)value);
        }
        catch (final ClassCastException e)
        {
            return String.valueOf(value);
        }
    }

    /** Text of each value by prefix and name, sorted by name. */
    public Map<String, String> print(final String prefix)
    {
        final Map<String, String> printed = new TreeMap<>();
        for (int i = 0; i < values.length; i++)
        {
            printed.put(prefix + settings.get(i).name(), text(settings.get(i), values[i]));
        }
        return printed;
    }

    /**
     * Reads what {@link #print} wrote; names without the prefix are left alone. A setting that older run descriptions omit
     * has the value that it had then.
     *
     * @throws ConfigException if a setting is missing, unknown, or has a value that is not allowed.
     */
    public SettingValues read(final String prefix, final Map<String, String> printed)
    {
        final Object[] read = new Object[values.length];
        for (int i = 0; i < read.length; i++)
        {
            read[i] = settings.get(i).read(prefix, printed);
        }
        for (final String name : printed.keySet())
        {
            if (name.startsWith(prefix))
            {
                requireKnown(name.substring(prefix.length()));
            }
        }
        return new SettingValues(owner, settings, read);
    }

    private int requireKnown(final String name)
    {
        for (int i = 0; i < values.length; i++)
        {
            if (settings.get(i).name().equals(name))
            {
                return i;
            }
        }
        throw new ConfigException(owner + " has no setting '" + name + "'; " + (settings.isEmpty() ? "it has none." :
            "it has " + settings.stream().map(Setting::name).collect(Collectors.joining(", ")) + "."));
    }

    /** The values that differ from the defaults, by name. */
    @Override
    public String toString()
    {
        final Map<String, String> printed = print("");
        defaults(owner, settings).print("").forEach(printed::remove);
        return printed.toString();
    }
}
