// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

/** Sums the progress of the runs of a comparison or sweep, several of which are under way. Thread-safe. */
public final class RunningParts
{
    private final ComparisonProgress progress;
    private final int runs;
    private long sum;
    private int ended;

    /** @param runs all runs, at least 1. */
    public RunningParts(final ComparisonProgress progress, final int runs)
    {
        this.progress = progress;
        this.runs = runs;
    }

    /** The parts of a run that begins. */
    public OfRun begin()
    {
        return new OfRun();
    }

    private synchronized void add(final int parts, final boolean last)
    {
        sum += parts;
        ended += last ? 1 : 0;
        progress.onProgress(sum, ended, runs);
    }

    /** One run; used by one thread. */
    public final class OfRun
    {
        private int reached;

        /** @param total requests of the run; a run without any has no progress before its end. */
        public void settled(final int done, final int total)
        {
            // The last part is that of the end, which comes after the report.
            final int parts = total == 0 ? 0 : (int)((long)done * (ComparisonProgress.PARTS_PER_RUN - 1) / total);
            if (parts > reached)
            {
                add(parts - reached, false);
                reached = parts;
            }
        }

        public void end()
        {
            add(ComparisonProgress.PARTS_PER_RUN - reached, true);
            reached = ComparisonProgress.PARTS_PER_RUN;
        }
    }
}
