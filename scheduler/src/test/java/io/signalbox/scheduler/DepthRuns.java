// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

/** Seeded runs. Loaded with mutated classes, too: all it gives back are text and numbers. */
public final class DepthRuns
{
    private DepthRuns()
    {
    }

    /** Plays runs of the seeds from 0 on until one fails; returns a line that reproduces it, or null. */
    public static String firstFailure(final int runs)
    {
        for (int seed = 0; seed < runs; seed++)
        {
            final String failure = failure(seed, new DepthCounts());
            if (failure != null)
            {
                return failure;
            }
        }
        return null;
    }

    /** Digests of everything that the runs of the seeds from 0 on decide. */
    public static String digests(final int runs)
    {
        final StringBuilder digests = new StringBuilder();
        for (int seed = 0; seed < runs; seed++)
        {
            digests.append(seed).append(' ').append(DepthCase.of(seed).play().digest()).append('\n');
        }
        return digests.toString();
    }

    static String failure(final long seed, final DepthCounts counts)
    {
        final DepthCase run = DepthCase.of(seed);
        try
        {
            counts.addAll(run.play().counts);
            return null;
        }
        catch (final RuntimeException | AssertionError e)
        {
            return "-Dsignalbox.depth.seed=" + seed + " reproduces it (" + run.parameters() + "): " + e;
        }
    }
}
