// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import java.io.PrintStream;

/**
 * The streams of a command.
 *
 * @param out      receives the result and nothing else.
 * @param err      receives errors, wall-clock figures and progress.
 * @param terminal whether {@code err} is a terminal, on which progress is shown.
 * @param columns  width of help texts and of the progress line, {@value #MIN_COLUMNS} to {@value #MAX_COLUMNS}.
 */
public record Console(ResultStream out, PrintStream err, boolean terminal, int columns)
{
    /** Longer lines are tiring to read on any terminal. */
    public static final int MAX_COLUMNS = 100;
    static final int MIN_COLUMNS = 60;

    /** A console as wide as help texts get. */
    public Console(final ResultStream out, final PrintStream err, final boolean terminal)
    {
        this(out, err, terminal, MAX_COLUMNS);
    }

    /** @param columns the terminal's width as text, such as the variable COLUMNS; {@code null} or no number if unknown. */
    public static int columns(final String columns)
    {
        if (columns == null || !columns.matches("\\d{1,6}"))
        {
            return MAX_COLUMNS;
        }
        return Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, Integer.parseInt(columns)));
    }
}
