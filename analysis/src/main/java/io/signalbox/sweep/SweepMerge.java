// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.ConfigException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Joins the runs of all shards of a plan. */
public final class SweepMerge
{
    private final SweepPlan plan;
    private final List<SweepCell> cells;
    private final Map<SweepRun.Name, SweepRun> runs = new HashMap<>();
    private final Map<SweepRun.Name, Path> places = new HashMap<>();

    public SweepMerge(final SweepPlan plan)
    {
        this.plan = plan;
        cells = plan.cells();
    }

    /** Adds the runs of all shards in a directory. @throws ConfigException that names a run that is there twice. */
    public SweepMerge add(final Path directory)
    {
        for (final SweepRun run : SweepDirectory.allRuns(directory))
        {
            if (run.cell() >= cells.size() || !cells.get(run.cell()).key().equals(run.key()) ||
                run.seed() < plan.firstSeed() || run.seed() >= plan.firstSeed() + plan.seeds())
            {
                throw new ConfigException(directory + " has a run of cell " + run.cell() + " with seed " + run.seed() +
                    ", which is not in the plan; leave that directory out.");
            }
            final SweepRun before = runs.put(run.name(), run);
            final Path first = places.put(run.name(), directory);
            if (before != null)
            {
                throw new ConfigException(cells.get(run.cell()) + " with seed " + run.seed() + " is in " + first +
                    " and in " + directory + (before.isSame(run) ? "; give each shard once." :
                        ", with other figures; run that shard again with one version of Signalbox."));
            }
        }
        return this;
    }

    /** Runs of the plan that no directory has. */
    public long missing()
    {
        return (long)cells.size() * plan.seeds() - runs.size();
    }

    /**
     * The runs of every cell and seed, by cell and then by seed.
     *
     * @throws ConfigException that names the first run that is missing.
     */
    public SweepRun[][] complete()
    {
        final SweepRun[][] complete = new SweepRun[cells.size()][plan.seeds()];
        for (final SweepCell cell : cells)
        {
            for (int i = 0; i < plan.seeds(); i++)
            {
                final long seed = plan.firstSeed() + i;
                complete[cell.number()][i] = runs.get(new SweepRun.Name(cell.number(), seed));
                if (complete[cell.number()][i] == null)
                {
                    throw new ConfigException(cell + " with seed " + seed + " is missing" +
                        (missing() == 1 ? "" : ", and " + (missing() - 1) + " others") +
                        "; run the shard that has it, with the same --out, and give its directory.");
                }
            }
        }
        return complete;
    }
}
