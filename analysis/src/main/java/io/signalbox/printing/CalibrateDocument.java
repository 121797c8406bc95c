// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.calibrate.AccuracyScore;
import io.signalbox.calibrate.Calibration;
import io.signalbox.calibrate.CalibrationVerdict;
import io.signalbox.calibrate.JournalCost;
import io.signalbox.calibrate.LoadPoint;
import io.signalbox.calibrate.PointSelection;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * {@code calibrate --json}. An error is the distance of a prediction from a measurement, in percent of the measurement.
 *
 * @param score errors of the predictions that ship; {@code null} without {@code --score}
 * @param fit   the fitted step cost; {@code null} with {@code --score}
 */
@DocumentSchema("signalbox.calibrate/1")
public record CalibrateDocument(Score score, Fit fit)
{
    /**
     * A step cost that was fitted to measurements.
     *
     * @param file             the cost file
     * @param verdict          how far simulations with it can be trusted
     * @param mostPromptTokens longest prompt of a measurement; longer ones are extrapolated
     * @param mostConcurrency  most requests in flight of a measurement; more are extrapolated
     * @param points           measured points; empty if steps of a journal were fitted
     * @param tpot             errors of simulated TPOT
     * @param ttft             errors of simulated TTFT
     * @param steps            errors of the steps of a journal; {@code null} for points
     */
    public record Fit(Path file, String verdict, int mostPromptTokens, int mostConcurrency, List<PointError> points,
        FitErrors tpot, FitErrors ttft, StepErrors steps)
    {
        private static Fit of(final Path file, final Calibration fit)
        {
            return new Fit(file, CalibrationVerdict.of(fit), fit.file().mostPromptTokens(), fit.file().mostConcurrency(),
                fit.points().stream().map(PointError::of).toList(),
                FitErrors.of(fit, Calibration.FittedPoint::tpotErrorPercent, Calibration.FittedPoint::leftOutTpotPercent),
                FitErrors.of(fit, Calibration.FittedPoint::ttftErrorPercent, Calibration.FittedPoint::leftOutTtftPercent),
                null);
        }

        private static Fit of(final Path file, final JournalCost fit)
        {
            return new Fit(file, CalibrationVerdict.of(fit), fit.file().mostPromptTokens(), fit.file().mostConcurrency(),
                List.of(), FitErrors.NONE, FitErrors.NONE,
                new StepErrors(fit.steps(), fit.medianErrorPercent(), fit.explained()));
        }
    }

    /**
     * A measured point, and the simulation of it.
     *
     * @param promptTokens     mean tokens of a prompt
     * @param outputTokens     mean tokens of an answer
     * @param concurrency      requests in flight
     * @param ttftMs           measured mean time to first token; {@code null} if it was not measured
     * @param tpotMs           measured mean time per output token
     * @param simulatedTtftMs  the same, simulated
     * @param simulatedTpotMs  the same, simulated
     * @param ttftErrorPercent error of the simulated TTFT, with its sign; {@code null} if it was not measured
     * @param tpotErrorPercent error of the simulated TPOT, with its sign
     */
    public record PointError(
        int promptTokens, int outputTokens, int concurrency, double ttftMs, double tpotMs, double simulatedTtftMs,
        double simulatedTpotMs, double ttftErrorPercent, double tpotErrorPercent)
    {
        private static PointError of(final Calibration.FittedPoint fitted)
        {
            final LoadPoint point = fitted.point();
            return new PointError(point.promptTokens(), point.outputTokens(), point.concurrency(), point.ttftMillis(),
                point.tpotMillis(), fitted.ttftMillis(), fitted.tpotMillis(), fitted.ttftErrorPercent(),
                fitted.tpotErrorPercent());
        }
    }

    /**
     * Mean errors over the points.
     *
     * @param meanPercent    mean absolute error of the simulations; {@code null} if nothing was measured, or steps of a
     *                       journal were fitted
     * @param leftOutPercent mean absolute error on points that the fit did not know, each point left out in turn;
     *                       {@code null} with fewer than 3 points
     */
    public record FitErrors(double meanPercent, double leftOutPercent)
    {
        private static final FitErrors NONE = new FitErrors(Double.NaN, Double.NaN);

        private static FitErrors of(final Calibration fit, final ToDoubleFunction<Calibration.FittedPoint> error,
            final ToDoubleFunction<Calibration.FittedPoint> leftOut)
        {
            return new FitErrors(fit.meanPercent(error), fit.meanPercent(leftOut));
        }
    }

    /**
     * Errors of the steps of a journal.
     *
     * @param count              steps with results
     * @param medianErrorPercent median absolute error of their times
     * @param explained          share of the variance of step times that the cost explains, up to 1 (R²)
     */
    public record StepErrors(long count, double medianErrorPercent, double explained)
    {
    }

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
            new Shape(RelativeErrors.of(score.tpotShape()), RelativeErrors.of(score.ttftShape()))), null);
    }

    /** @param file with the cost. */
    public static CalibrateDocument of(final Path file, final Calibration fit)
    {
        return new CalibrateDocument(null, Fit.of(file, fit));
    }

    /** @param file with the cost. */
    public static CalibrateDocument of(final Path file, final JournalCost fit)
    {
        return new CalibrateDocument(null, Fit.of(file, fit));
    }

    /** Prints the score, or the fit, as a table. */
    public void print(final PrintStream out)
    {
        if (fit != null)
        {
            printFit(out);
            return;
        }
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

    private void printFit(final PrintStream out)
    {
        out.println("calibration       " + fit.verdict);
        out.println("cost file         " + fit.file);
        out.println("covered           prompts of up to " + Decimals.counted(fit.mostPromptTokens, "token") + ", up to " +
            Decimals.counted(fit.mostConcurrency, "request") + " at a time; the rest is extrapolated");
        if (fit.steps != null)
        {
            out.println("steps             " + Decimals.grouped(fit.steps.count) + "; median error " +
                percent(fit.steps.medianErrorPercent) + ", R² " + Decimals.text(fit.steps.explained, 2));
            return;
        }
        out.printf("%n%11s %8s %8s | %9s %9s %8s | %9s %9s %8s%n", "concurrency", "prompt", "output", "TTFT ms",
            "simulated", "error", "TPOT ms", "simulated", "error");
        fit.points.forEach(point -> out.printf(Locale.ROOT, "%11d %8d %8d | %9s %9.1f %8s | %9.2f %9.2f %8s%n",
            point.concurrency, point.promptTokens, point.outputTokens,
            Double.isNaN(point.ttftMs) ? "-" : String.format(Locale.ROOT, "%.1f", point.ttftMs), point.simulatedTtftMs,
            percent(point.ttftErrorPercent), point.tpotMs, point.simulatedTpotMs, percent(point.tpotErrorPercent)));
        out.printf("%nmean error        TTFT %s, TPOT %s; each point left out of the fit in turn: TTFT %s, TPOT %s%n",
            percent(fit.ttft.meanPercent), percent(fit.tpot.meanPercent), percent(fit.ttft.leftOutPercent),
            percent(fit.tpot.leftOutPercent));
    }

    private static String percent(final double value)
    {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.1f %%", value) : "-";
    }
}
