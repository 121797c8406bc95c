// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;

import java.util.Map;

/** Reads single settings of a router, and says what is wrong with them. */
final class RouterSettings
{
    static final double MAX_WEIGHT = 1.0E12;

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

    /** @throws ConfigException unless the value is true or false. */
    static boolean flag(final Map<String, String> settings, final String name)
    {
        final String value = text(settings, name);
        if (!value.equals("true") && !value.equals("false"))
        {
            throw new ConfigException("the setting " + name + "=" + value + " is not true or false.");
        }
        return value.equals("true");
    }

    /**
     * For factors of a score: products of a few of them with the largest loads stay finite, so that a score is a number.
     *
     * @throws ConfigException unless the value is from 0 to {@link #MAX_WEIGHT}.
     */
    static void checkWeight(final String name, final double value)
    {
        if (!(value >= 0.0 && value <= MAX_WEIGHT))
        {
            throw new ConfigException(name + "=" + value + " is not between 0 and " + MAX_WEIGHT + "; give a weight in " +
                "that range.");
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
