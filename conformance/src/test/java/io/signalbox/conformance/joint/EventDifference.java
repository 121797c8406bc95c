// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.joint;

import java.util.ArrayList;
import java.util.List;

/** The shortest way from one list of events to another, by a longest common subsequence. */
final class EventDifference
{
    private EventDifference()
    {
    }

    static List<String> of(final List<String> recorded, final List<String> here)
    {
        final int[][] common = new int[recorded.size() + 1][here.size() + 1];
        for (int i = recorded.size() - 1; i >= 0; i--)
        {
            for (int j = here.size() - 1; j >= 0; j--)
            {
                common[i][j] = recorded.get(i).equals(here.get(j)) ? 1 + common[i + 1][j + 1] :
                    Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        final List<String> lines = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < recorded.size() || j < here.size())
        {
            if (i < recorded.size() && j < here.size() && recorded.get(i).equals(here.get(j)))
            {
                i++;
                j++;
            }
            else if (j == here.size() || i < recorded.size() && common[i + 1][j] >= common[i][j + 1])
            {
                lines.add("- " + recorded.get(i++));
            }
            else
            {
                lines.add("+ " + here.get(j++));
            }
        }
        return lines;
    }
}
