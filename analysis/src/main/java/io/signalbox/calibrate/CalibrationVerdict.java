// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import java.util.Locale;

/** Says in a sentence how far simulations with a fitted cost can be trusted. */
public final class CalibrationVerdict
{
    private static final double WORST_TPOT_PERCENT = 25;
    private static final double WORST_TTFT_PERCENT = 50;
    private static final double WORST_STEP_PERCENT = 25;
    private static final double LEAST_EXPLAINED = 0.5;
    private static final int LEAST_POINTS = 3;

    private CalibrationVerdict()
    {
    }

    /** Of points. */
    public static String of(final Calibration fit)
    {
        final double tpot = worse(fit.meanPercent(Calibration.FittedPoint::tpotErrorPercent),
            fit.meanPercent(Calibration.FittedPoint::leftOutTpotPercent));
        final double ttft = worse(fit.meanPercent(Calibration.FittedPoint::ttftErrorPercent),
            fit.meanPercent(Calibration.FittedPoint::leftOutTtftPercent));
        if (fit.points().size() < LEAST_POINTS)
        {
            return "too few points to state an error; measure 6 to 10, from the lowest to the highest load that you ask " +
                "about";
        }
        if (tpot > WORST_TPOT_PERCENT)
        {
            return "do not trust times: TPOT is " + percent(tpot) + " off on average; check that all points are of one " +
                "deployment, and that no request waited for memory";
        }
        final String tpots = "TPOT can be trusted within " + percent(tpot);
        return Double.isNaN(ttft) ? tpots + "; TTFT was not measured" : ttft > WORST_TTFT_PERCENT ?
            tpots + "; do not trust TTFT, which is " + percent(ttft) + " off on average" :
            tpots + " and TTFT within " + percent(ttft) + ", on average, in the covered range";
    }

    /** Of the steps of a journal. */
    public static String of(final JournalCost fit)
    {
        if (fit.medianErrorPercent() > WORST_STEP_PERCENT)
        {
            return "do not trust times: a typical step is " + percent(fit.medianErrorPercent()) + " off";
        }
        return "a typical step is within " + percent(fit.medianErrorPercent()) +
            (fit.explained() < LEAST_EXPLAINED ? "; the cost explains less than half of how steps differ, so do not trust " +
                "high percentiles" : "");
    }

    private static double worse(final double simulated, final double leftOut)
    {
        return Double.isNaN(leftOut) ? simulated : Math.max(simulated, leftOut);
    }

    private static String percent(final double value)
    {
        return String.format(Locale.ROOT, "%.1f %%", value);
    }
}
