// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

/** Numbers within a text form; refused in words, as one clause of a longer sentence. */
final class NumberText
{
    private NumberText()
    {
    }

    static int whole(final String text)
    {
        try
        {
            return Integer.parseInt(text);
        }
        catch (final NumberFormatException e)
        {
            throw fault(text, "a whole number");
        }
    }

    static double real(final String text)
    {
        try
        {
            return Double.parseDouble(text);
        }
        catch (final NumberFormatException e)
        {
            throw fault(text, "a number");
        }
    }

    private static ConfigException fault(final String text, final String wanted)
    {
        return new ConfigException(text.isBlank() ? wanted + " is missing" : "'" + text + "' is not " + wanted);
    }
}
