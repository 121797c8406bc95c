// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.calibrate.AccuracyScore;
import io.signalbox.calibrate.PointSelection;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/**
 * {@code calibrate --json}. An error is the distance of a prediction from a measurement, in percent of the measurement.
 *
 * @param score errors of the predictions
 */
@DocumentSchema("signalbox.calibrate/1")
public record CalibrateDocument(Score score)
{
    /**
     * RelativeErrors on the points of a file.
     *
     * @param points   points that are scored
     * @param excluded rows that are not scored, by reason
     * @param tpot     errors of the mean time per output token
     * @param ttft     errors of the mean time to first token
     * @param shape    errors of the ratio to the point with the lowest concurrency of the same configuration and lengths
     */
    public record Score(int points, Map<String, Integer> excluded, RelativeErrors tpot, RelativeErrors ttft, Shape shape)
    {
    }

    /**
     * RelativeErrors relative to each measurement.
     *
     * @param points        points that count
     * @param meanPercent   their mean error in percent; {@code null} if there are none
     * @param medianPercent their median error in percent; {@code null} if there are none
     */
    public record RelativeErrors(int points, double meanPercent, double medianPercent)
    {
        private static RelativeErrors of(final AccuracyScore.ErrorSummary errors)
        {
            return new RelativeErrors(errors.count(), errors.meanPercent(), errors.medianPercent());
        }
    }

    /**
     * RelativeErrors of curves over the concurrency.
     *
     * @param tpot errors of ratios of times per output token
     * @param ttft errors of ratios of times to first token
     */
    public record Shape(RelativeErrors tpot, RelativeErrors ttft)
    {
    }

    public static CalibrateDocument of(final PointSelection points, final AccuracyScore score)
    {
        return new CalibrateDocument(new Score(points.points().size(), points.excluded(), RelativeErrors.of(score.tpot()),
            RelativeErrors.of(score.ttft()),
            new Shape(RelativeErrors.of(score.tpotShape()), RelativeErrors.of(score.ttftShape()))));
    }

    /** Prints the score as a table. */
    public void print(final PrintStream out)
    {
        out.printf("%-12s %8s %8s %8s%n", "error", "points", "mean", "median");
        row(out, "TPOT", score.tpot);
        row(out, "TTFT", score.ttft);
        row(out, "TPOT shape", score.shape.tpot);
        row(out, "TTFT shape", score.shape.ttft);
        int excluded = 0;
        for (final int rows : score.excluded.values())
        {
            excluded += rows;
        }
        out.printf("%n%s scored, %s excluded%n", Decimals.counted(score.points, "point"), Decimals.counted(excluded, "row"));
        score.excluded.forEach((reason, rows) -> out.printf("  %8s  %s%n", Decimals.grouped(rows), reason));
    }

    private static void row(final PrintStream out, final String name, final RelativeErrors errors)
    {
        out.printf("%-12s %8s %8s %8s%n", name, Decimals.grouped(errors.points), percent(errors.meanPercent),
            percent(errors.medianPercent));
    }

    private static String percent(final double value)
    {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.1f %%", value) : "-";
    }
}
