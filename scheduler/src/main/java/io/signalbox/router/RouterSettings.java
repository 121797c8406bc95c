// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;

import java.util.Map;

/** Reads single settings of a router, and says what is wrong with them. */
final class RouterSettings
{
    private RouterSettings()
    {
    }

    static String text(final Map<String, String> settings, final String name)
    {
        final String value = settings.get(name);
        if (value == null)
        {
            throw new ConfigException("the setting " + name + " is missing; a run description names every setting.");
        }
        return value;
    }

    static long number(final Map<String, String> settings, final String name, final long min, final long max)
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

    static double real(final Map<String, String> settings, final String name)
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

    /** @throws ConfigException unless the value is finite and 0 or more. */
    static void checkNotNegative(final String name, final double value)
    {
        if (!(value >= 0.0) || Double.isInfinite(value))
        {
            throw new ConfigException(name + "=" + value + " is not a finite value >= 0; give one.");
        }
    }
}
