// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.figures;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;

/** Lines of equally many cells as text, each column as wide as its widest cell. */
public final class TextColumns
{
    private static final String GAP = "   ";

    private TextColumns()
    {
    }

    /** @param names columns at the beginning that are aligned to the left; the others are numbers. */
    public static void print(final PrintStream out, final int names, final List<List<String>> lines)
    {
        final int[] widths = new int[lines.get(0).size()];
        Arrays.setAll(widths, i -> lines.stream().mapToInt(line -> line.get(i).length()).max().orElse(0));
        for (final List<String> line : lines)
        {
            final StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++)
            {
                final String padding = " ".repeat(widths[i] - line.get(i).length());
                text.append(i == 0 ? "" : GAP).append(i < names ? line.get(i) + padding : padding + line.get(i));
            }
            out.print(text.toString().stripTrailing() + '\n');
        }
    }
}
