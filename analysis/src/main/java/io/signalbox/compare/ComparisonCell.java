// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.router.RouterConfig;

import java.util.Arrays;
import java.util.Set;

/** One router on one workload with one cache size, over all seeds. */
public final class ComparisonCell
{
    private final String workload;
    private final int kvBlocks;
    private final RouterConfig router;
    private final double[][] values;
    private final Estimate[] estimates;
    private final Set<Figure> best;
    private final Set<Figure> level;

    /** @param values one array per figure, in the order of {@link Figure}, of one value per seed. */
    ComparisonCell(
        final String workload,
        final int kvBlocks,
        final RouterConfig router,
        final double[][] values,
        final Estimate[] estimates,
        final Set<Figure> best,
        final Set<Figure> level)
    {
        this.workload = workload;
        this.kvBlocks = kvBlocks;
        this.router = router;
        this.values = values;
        this.estimates = estimates;
        this.best = best;
        this.level = level;
    }

    public String workload()
    {
        return workload;
    }

    public int kvBlocks()
    {
        return kvBlocks;
    }

    public RouterConfig router()
    {
        return router;
    }

    public Estimate estimate(final Figure figure)
    {
        return estimates[figure.ordinal()];
    }

    /** One value per seed, in their order. */
    public double[] values(final Figure figure)
    {
        return values[figure.ordinal()].clone();
    }

    /** Whether no other router has a better mean on this workload with this cache size; false if all are equal. */
    public boolean isBest(final Figure figure)
    {
        return best.contains(figure);
    }

    /**
     * Whether these seeds do not distinguish it from the best: 0 is in the 95 % confidence interval of the differences
     * to the best router, seed by seed. All routers see the same requests with a seed, so that the differences vary far
     * less than the figures do, whose own intervals say nothing here. False for the best itself and with a single seed.
     */
    public boolean isLevelWithBest(final Figure figure)
    {
        return level.contains(figure);
    }

    @Override
    public String toString()
    {
        return router + " on " + workload + " with " + kvBlocks + " KV blocks: " + Arrays.toString(estimates);
    }
}
