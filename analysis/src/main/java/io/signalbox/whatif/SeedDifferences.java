// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.compare.Estimate;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Differences of the figures of a variant and of the unchanged re-run with the same arrivals, over seeds. */
final class SeedDifferences
{
    private SeedDifferences()
    {
    }

    /**
     * @param runs    those of the first seed, then those of the second one, and so on.
     * @param perSeed runs of a seed, of which the first is the unchanged one.
     * @return empty with one seed.
     */
    static Map<RunFigure, Estimate> of(final List<RunOutcome> runs, final int perSeed, final int variant)
    {
        final Map<RunFigure, Estimate> estimates = new EnumMap<>(RunFigure.class);
        final double[] differences = new double[runs.size() / perSeed];
        for (final RunFigure figure : RunFigure.values())
        {
            if (!figure.isKnown(runs.get(0).report()))
            {
                continue;
            }
            for (int seed = 0; seed < differences.length; seed++)
            {
                differences[seed] = figure.of(runs.get(seed * perSeed + variant).report()) -
                    figure.of(runs.get(seed * perSeed).report());
            }
            if (differences.length > 1)
            {
                estimates.put(figure, Estimate.of(differences));
            }
        }
        return estimates;
    }
}
