// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import java.util.Map;

/** Reads single settings of a run description, and reports errors in them. */
public final class Settings
{
    private Settings()
    {
    }

    /** @throws ConfigException when the setting is missing. */
    public static String text(final Map<String, String> settings, final String name)
    {
        final String value = settings.get(name);
        if (value == null)
        {
            throw new ConfigException("the setting " + name + " is missing; a run description names every setting.");
        }
        return value;
    }

    /** @throws ConfigException unless the value is a whole number from {@code min} to {@code max}. */
    public static long number(final Map<String, String> settings, final String name, final long min, final long max)
    {
        final String value = text(settings, name);
        try
        {
            final long number = Long.parseLong(value);
            if (number >= min && number <= max)
            {
                return number;
            }
        }
        catch (final NumberFormatException e)
        {
            throw new ConfigException("the setting " + name + "=" + value + " is not a whole number.");
        }
        throw new ConfigException("the setting " + name + "=" + value + " is not between " + min + " and " + max + ".");
    }

    /** @throws ConfigException unless the value is a whole number of 32 bits. */
    public static int integer(final Map<String, String> settings, final String name)
    {
        return (int)number(settings, name, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** @throws ConfigException unless the value is a number. */
    public static double real(final Map<String, String> settings, final String name)
    {
        final String value = text(settings, name);
        try
        {
            return Double.parseDouble(value);
        }
        catch (final NumberFormatException e)
        {
            throw new ConfigException("the setting " + name + "=" + value + " is not a number.");
        }
    }

    /** @throws ConfigException unless the value is true or false. */
    public static boolean flag(final Map<String, String> settings, final String name)
    {
        final String value = text(settings, name);
        if (!value.equals("true") && !value.equals("false"))
        {
            throw new ConfigException("the setting " + name + "=" + value + " is not true or false.");
        }
        return value.equals("true");
    }
}
