// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.cost.CostTables;
import io.signalbox.cost.Deployment;
import io.signalbox.cost.Gpu;
import io.signalbox.cost.Parallelism;
import io.signalbox.cost.ServedModelShape;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.SoftwareRun;
import io.signalbox.cost.StepPart;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Measurements are simulations of a cost that the fit does not know. */
class CalibrationTest
{
    private static final int[][] LOADS =
        {{256, 64, 1}, {2000, 64, 2}, {256, 200, 8}, {2000, 100, 8}, {256, 100, 32}, {1000, 200, 48}};

    private static List<LoadPoint> measured(final ServedStepCost truth)
    {
        return Stream.of(LOADS).map(load ->
        {
            final LoadPoint point = new LoadPoint("point", load[0], load[1], load[2], 1, 1);
            final LoadLoop.Result loop = LoadLoop.run(point, truth);
            return new LoadPoint("point", load[0], load[1], load[2], loop.ttftMillis(), loop.tpotMillis());
        }).toList();
    }

    private static Calibration fit(final List<LoadPoint> points, final ServedStepCost known)
    {
        return Calibration.of("test", points, known, done -> { });
    }

    private static double tpotPercent(final Calibration fit)
    {
        return fit.meanPercent(Calibration.FittedPoint::tpotErrorPercent);
    }

    @Test
    void shouldFindTheCostOfAnUnknownDeployment()
    {
        final Calibration fit =
            fit(measured(ServedStepCost.linear("truth", 20_000, 30, 300, 0.2).withPromptStep(4000)), null);

        assertTrue(tpotPercent(fit) < 2, "TPOT " + tpotPercent(fit));
        final double ttft = fit.meanPercent(Calibration.FittedPoint::ttftErrorPercent);
        assertTrue(ttft < 5, "TTFT " + ttft);
        assertTrue(fit.meanPercent(Calibration.FittedPoint::leftOutTpotPercent) < 10, fit.points().toString());
        assertEquals(1111, fit.file().mostPromptTokens() / 2);
        assertEquals(48, fit.file().mostConcurrency());
        assertTrue(CalibrationVerdict.of(fit).startsWith("TPOT can be trusted within"), CalibrationVerdict.of(fit));
    }

    /** Twice the time of what depends on prompts, and half of the base. */
    @Test
    void shouldFindHowAClusterDiffersFromItsModel()
    {
        final ServedModelShape model = ServedModelShape.of("gpt-oss-120b");
        final ServedStepCost known = ServedStepCost.of(new Deployment(model, Gpu.H200, Parallelism.parse("tp2"),
            model.precision(), SoftwareRun.of("vllm")), CostTables.standard());
        final double[] scales = {0.5, 1, 1, 1, 2, 1};
        final Calibration fit = fit(measured(known.withPromptStep(15_000).scaled(scales)), known);

        assertTrue(tpotPercent(fit) < 2, "TPOT " + tpotPercent(fit));
        assertEquals(0.5, fit.scales()[StepPart.BASE.ordinal()], 0.1);
        assertEquals(2, fit.scales()[StepPart.PROMPTS.ordinal()], 0.4);
    }

    @Test
    void shouldNotTrustPointsThatContradictEachOther()
    {
        final List<LoadPoint> points = measured(ServedStepCost.linear("truth", 20_000, 30, 300, 0.2));
        final UnaryOperator<LoadPoint> odd = point -> new LoadPoint(point.source(), point.promptTokens(),
            point.outputTokens(), point.concurrency(), point.ttftMillis(), point.tpotMillis() * (point.concurrency() == 8 ||
            point.concurrency() == 1 ? 3 : 1));

        final String verdict = CalibrationVerdict.of(fit(points.stream().map(odd).toList(), null));
        assertTrue(verdict.startsWith("do not trust times: TPOT is"), verdict);
        assertTrue(CalibrationVerdict.of(fit(points.subList(0, 2), null)).startsWith("too few points"), "2 points");
    }
}
