// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Finds the known names nearest to a mistyped one. */
final class NearestNames
{
    private NearestNames()
    {
    }

    /** At most {@code most} names, the nearest first: names that begin with it, and names a few letters away. */
    static List<String> of(final String mistyped, final Collection<String> names, final int most)
    {
        final String wanted = mistyped.toLowerCase(Locale.ROOT);
        final int furthest = Math.min(3, Math.max(1, letters(wanted) / 3));
        return names.stream()
            .filter(name -> distance(wanted, name) <= furthest || letters(wanted) > 1 && name.startsWith(wanted))
            .sorted(Comparator.<String>comparingInt(name -> distance(wanted, name)).thenComparing(Comparator.naturalOrder()))
            .limit(most).toList();
    }

    private static int letters(final String name)
    {
        return (int)name.chars().filter(character -> character != '-').count();
    }

    /** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
    static int distance(final String from, final String to)
    {
        final int[][] least = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++)
        {
            for (int j = 0; j <= to.length(); j++)
            {
                least[i][j] = i == 0 || j == 0 ? i + j : Math.min(
                    Math.min(least[i - 1][j], least[i][j - 1]) + 1,
                    least[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1));
                if (i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1))
                {
                    least[i][j] = Math.min(least[i][j], least[i - 2][j - 2] + 1);
                }
            }
        }
        return least[from.length()][to.length()];
    }
}
