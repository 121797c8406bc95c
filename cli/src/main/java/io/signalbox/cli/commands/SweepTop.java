// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import picocli.CommandLine.Option;

/** How many cells of a sweep are printed. */
final class SweepTop
{
    @Option(names = "--top", paramLabel = "N", description = "Print the best N cells; 0: all (default: ${DEFAULT-VALUE}).")
    private int top = 20;

    /** Most cells to print. */
    int cells()
    {
        if (top < 0)
        {
            throw new ConfigException("--top=" + top + " is below 0; give a number of cells, or 0 for all.");
        }
        return top == 0 ? Integer.MAX_VALUE : top;
    }
}
