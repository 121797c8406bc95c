// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/** Seeded runs. Loaded with mutated classes, too: all it gives back are text and numbers. */
public final class DepthRuns
{
    /** Seeds that find most of the planted defects; which seed comes first decides about time only. */
    private static final int[] TELLING = {10, 4, 15, 21, 43, 121, 119, 25, 45, 50, 23};

    private DepthRuns()
    {
    }

    /** Plays runs of the seeds below this number until one fails; returns a line that reproduces it, or null. */
    public static String firstFailure(final int runs)
    {
        return IntStream.concat(IntStream.range(0, Math.min(3, runs)), IntStream.concat(
            Arrays.stream(TELLING).filter(seed -> seed < runs), IntStream.range(0, runs)))
            .distinct().mapToObj(seed -> failure(seed, new DepthCounts())).filter(Objects::nonNull).findFirst().orElse(null);
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
