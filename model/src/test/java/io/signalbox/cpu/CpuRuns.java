// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.model.ScratchDirectory;
import io.signalbox.model.forward.Precision;

import java.util.List;

/** Runs of the CPU backend behind an engine. Loaded with mutated classes, too: all they give back is text. */
public final class CpuRuns
{
    private static final List<CpuEngineRun> RUNS = List.of(
        new CpuEngineRun(false, 2, 4, 3, Precision.F32, 2, 0), new CpuEngineRun(false, 1, 1, 1, Precision.F32, 0, 0),
        new CpuEngineRun(false, 2, 2, 1, Precision.BF16, 0, 9));

    private CpuRuns()
    {
    }

    /** Plays the first runs until one fails; returns its failure, or null. */
    public static String engines(final int runs)
    {
        for (final CpuEngineRun run : RUNS.subList(0, runs))
        {
            try (ScratchDirectory scratch = new ScratchDirectory())
            {
                run.play(scratch.path());
            }
            catch (final Exception | AssertionError e)
            {
                return run + ": " + e;
            }
        }
        return null;
    }
}
