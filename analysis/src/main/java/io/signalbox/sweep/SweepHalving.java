// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import java.util.List;

/**
 * Successive halving: in each round the best cells of the round before run with more requests.
 *
 * @param keepOneIn one of so many cells is kept, and runs with so many times the requests; 0: a single round with all cells.
 * @param round     number of the round, from 0.
 * @param kept      numbers of the plan's cells that run in this round; empty: all.
 */
public record SweepHalving(int keepOneIn, int round, List<Integer> kept)
{
    /** A single round with all cells. */
    public static final SweepHalving NONE = new SweepHalving(0, 0, List.of());

    public SweepHalving
    {
        kept = List.copyOf(kept);
    }

    /** Whether the best of so many cells run again. */
    boolean goesOn(final int cells)
    {
        return keepOneIn > 0 && cells > keepOneIn;
    }

    /** How many of so many cells run again. */
    int keptOf(final int cells)
    {
        return (cells + keepOneIn - 1) / keepOneIn;
    }

    /** @param best numbers of cells of this round, the best first. */
    SweepHalving next(final List<Integer> best)
    {
        return new SweepHalving(keepOneIn, round + 1, best.subList(0, keptOf(best.size())).stream()
            .map(number -> kept.isEmpty() ? number : kept.get(number)).sorted().toList());
    }
}
