// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Predicts mean TPOT and TTFT of closed loops at a fixed number of concurrent requests. */
public final class LatencyModel
{
    /** Deviations of the effects on TPOT, from the whole to one configuration. */
    private static final double[] TPOT_DEVIATIONS = {1.5, 0.5, 0.3, 0.3, 0.3, 0.3, 0.2, 0.2, 0.15, 0.1};
    private static final double[] TTFT_DEVIATIONS = {1.5, 0.5, 0.3, 0.3, 0.3, 0.3, 0.2, 0.2, 0.15, 0.1};
    private static final double TPOT_NOISE = 0.05;
    private static final double TTFT_NOISE = 0.1;

    private final CostTables tables;

    public LatencyModel(final CostTables tables)
    {
        this.tables = tables;
    }

    /** Fits the effects to points, with the cells of kernels that are given. */
    public static LatencyModel fit(final KernelFits kernels, final Collection<ServedPoint> points)
    {
        final EffectFit tpotFit = new EffectFit(LatencyTerms.TPOT_START, TPOT_DEVIATIONS, TPOT_NOISE);
        for (final ServedPoint point : points)
        {
            tpotFit.add(point.deployment().keys(), new LatencyTerms(point.deployment(), kernels).tpot(point),
                point.tpotMillis());
        }
        final ScaleEffects tpot = tpotFit.fit();
        final LatencyModel stepTimes =
            new LatencyModel(new CostTables(kernels, tpot, new ScaleEffects(Map.of()), List.of()));
        final EffectFit ttftFit = new EffectFit(LatencyTerms.TTFT_START, TTFT_DEVIATIONS, TTFT_NOISE);
        for (final ServedPoint point : points)
        {
            ttftFit.add(point.deployment().keys(), new LatencyTerms(point.deployment(), kernels).ttft(point,
                stepTimes.tpotMillis(point)), point.ttftMillis());
        }
        return new LatencyModel(new CostTables(kernels, tpot, ttftFit.fit(), List.of()));
    }

    public CostTables tables()
    {
        return tables;
    }

    public double tpotMillis(final ServedPoint point)
    {
        final double[] terms = new LatencyTerms(point.deployment(), tables.kernels()).tpot(point);
        return sum(terms, tables.tpot(), point);
    }

    public double ttftMillis(final ServedPoint point)
    {
        final double[] terms = new LatencyTerms(point.deployment(), tables.kernels()).ttft(point, tpotMillis(point));
        return sum(terms, tables.ttft(), point);
    }

    private static double sum(final double[] terms, final ScaleEffects effects, final ServedPoint point)
    {
        final double[] scales = effects.scales(point.deployment().keys(), terms.length);
        double sum = 0;
        for (int term = 0; term < terms.length; term++)
        {
            sum += terms[term] * scales[term];
        }
        return sum;
    }
}
