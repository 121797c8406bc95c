// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.Difference.Values;

import java.io.PrintStream;
import java.util.Map;

/** Named values of two sides in two columns; a star marks those that differ. */
final class FieldTable
{
    private static final int LONGEST_VALUE = 48;

    private FieldTable()
    {
    }

    static void print(final PrintStream out, final String left, final String right, final Map<String, Values> values)
    {
        if (values.isEmpty())
        {
            return;
        }
        int nameWidth = 0;
        int leftWidth = left.length();
        for (final Map.Entry<String, Values> value : values.entrySet())
        {
            nameWidth = Math.max(nameWidth, value.getKey().length());
            leftWidth = Math.max(leftWidth, text(value.getValue().left()).length());
        }
        final String row = "%s %-" + nameWidth + "s  %-" + leftWidth + "s  %s%n";
        out.printf(row, " ", "", left, right);
        for (final Map.Entry<String, Values> value : values.entrySet())
        {
            final String was = text(value.getValue().left());
            final String is = text(value.getValue().right());
            final Values both = value.getValue();
            final boolean equal = both.left() != null && both.left().equals(both.right());
            out.printf(row, equal ? " " : "*", Printable.text(value.getKey()), was, is);
        }
        out.println();
    }

    /** A value in one line; its beginning if it is long. */
    private static String text(final String value)
    {
        final String text = value == null ? "none" : Printable.text(value);
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "...";
    }
}
