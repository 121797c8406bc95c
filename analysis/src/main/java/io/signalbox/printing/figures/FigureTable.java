// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.figures;

import io.signalbox.printing.Decimals;
import io.signalbox.printing.ReportText;
import io.signalbox.report.RunReport;
import io.signalbox.whatif.RunFigure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Figures of runs side by side: a row per figure, a column per run. */
public final class FigureTable
{
    private static final int DIGITS = 3;
    private static final double PERCENT = 100.0;
    private static final Map<RunFigure, String> TITLES = new EnumMap<>(RunFigure.class);

    static
    {
        TITLES.put(RunFigure.TTFT_P50, "TTFT p50, ms");
        TITLES.put(RunFigure.TTFT_P99, "TTFT p99, ms");
        TITLES.put(RunFigure.TPOT_P50, "TPOT p50, ms");
        TITLES.put(RunFigure.TPOT_P99, "TPOT p99, ms");
        TITLES.put(RunFigure.E2E_P50, "end to end p50, ms");
        TITLES.put(RunFigure.E2E_P99, "end to end p99, ms");
        TITLES.put(RunFigure.REQUESTS_PER_SECOND, "requests/s");
        TITLES.put(RunFigure.OUTPUT_TOKENS_PER_SECOND, "output tokens/s");
        TITLES.put(RunFigure.TOKEN_HIT_RATE, "token hit rate, %");
        TITLES.put(RunFigure.COMPUTED_TOKENS, "computed tokens");
        TITLES.put(RunFigure.EVICTED_BLOCKS, "evicted blocks");
        TITLES.put(RunFigure.PREEMPTIONS, "preemptions");
        TITLES.put(RunFigure.PAUSES, "pauses");
        TITLES.put(RunFigure.STEPS, "steps");
        TITLES.put(RunFigure.COMPLETED, "completed requests");
        TITLES.put(RunFigure.REFUSED, "refused requests");
        TITLES.put(RunFigure.MISSED_DEADLINES, "missed deadlines");
        TITLES.put(RunFigure.ABORTED_BY_NEW_WEIGHTS, "aborted by new weights");
        TITLES.put(RunFigure.FAILED, "failed requests");
        TITLES.put(RunFigure.GOODPUT, "goodput, requests/s");
        TITLES.put(RunFigure.GOODPUT_SHARE, "within limits, %");
    }

    private FigureTable()
    {
    }

    public static String title(final RunFigure figure)
    {
        return TITLES.get(figure);
    }

    public static String value(final RunFigure figure, final RunReport report)
    {
        final double value = figure.of(report);
        return Double.isNaN(value) ? ReportText.NO_DATA :
            figure.isShare() ? Decimals.text(value * PERCENT, 2) :
            value == Math.rint(value) ? Decimals.grouped((long)value) : Decimals.text(value, DIGITS);
    }

    /** Prints the figures that a report shows in text. */
    public static void print(final PrintStream out, final List<String> names, final List<RunReport> reports)
    {
        final List<List<String>> lines = new ArrayList<>();
        final List<String> head = new ArrayList<>(List.of(""));
        head.addAll(names);
        lines.add(head);
        for (final RunFigure figure : RunFigure.values())
        {
            if (reports.stream().anyMatch(figure::isIn))
            {
                final List<String> line = new ArrayList<>(List.of(title(figure)));
                reports.forEach(report -> line.add(value(figure, report)));
                lines.add(line);
            }
        }
        TextColumns.print(out, 1, lines);
    }
}
