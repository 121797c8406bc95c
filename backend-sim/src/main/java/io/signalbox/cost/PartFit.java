// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.Arrays;
import java.util.List;

/**
 * Fits the scales of {@link StepPart}s to measured times: the most probable ones if the logarithm of each scale is normal
 * around zero, with outliers weighed down.
 */
public final class PartFit
{
    private static final List<String> GROUP = List.of("0|");

    private final EffectFit fit;

    /**
     * @param deviation of the logarithm of a scale.
     * @param noise     deviation of the logarithm of a measurement.
     */
    public PartFit(final double deviation, final double noise)
    {
        final double[] start = new double[StepPart.values().length];
        Arrays.fill(start, 1);
        fit = new EffectFit(start, new double[] {deviation}, noise);
    }

    /**
     * @param parts    milliseconds by part with scales of 1; at least one is above 0.
     * @param measured milliseconds, above 0.
     */
    public void add(final double[] parts, final double measured)
    {
        fit.add(GROUP, parts, measured);
    }

    /** One scale per part; 1 if no measurement has the part. */
    public double[] scales()
    {
        return fit.fit().scales(GROUP, StepPart.values().length);
    }
}
