// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.compare.Figure;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.sweep.SweepDocument;
import io.signalbox.printing.sweep.SweepText;
import io.signalbox.sweep.SweepPlan;
import io.signalbox.sweep.SweepRanking;
import io.signalbox.sweep.SweepRun;

import java.util.List;

/**
 * Prints a complete sweep, as a table or as JSON.
 *
 * @param front figures of the Pareto front.
 * @param top   most cells of the table.
 */
record SweepResult(Console console, JsonOptions jsonOptions, List<Figure> front, int top)
{
    /**
     * @param runs by cell, then by seed.
     * @param file receives the document; {@code null} if none is asked for.
     */
    void print(final SweepPlan plan, final SweepRun[][] runs, final OutputFile file)
    {
        final List<SweepRanking.Ranked> ranked = new SweepRanking(plan, runs).ranked(front);
        jsonOptions.print(console, file, () -> JsonDocument.text(SweepDocument.of(plan, ranked, front)),
            () -> SweepText.print(console.out(), plan, ranked, front, top));
    }
}
