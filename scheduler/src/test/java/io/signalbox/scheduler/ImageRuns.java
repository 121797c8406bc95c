// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.Digits;

/** Seeded runs with images. Loaded with mutated classes, too: all it gives back are texts. */
public final class ImageRuns
{
    private static final int MOST_INPUTS = 60;
    private static final int ACTIONS = 200;

    private ImageRuns()
    {
    }

    /** Plays runs of the seeds from 0 on until one fails; returns what failed, or null. */
    public static String firstFailure(final int runs)
    {
        for (int seed = 0; seed < runs; seed++)
        {
            try
            {
                play(seed);
            }
            catch (final RuntimeException | AssertionError e)
            {
                return "seed " + seed + ": " + e;
            }
        }
        return null;
    }

    /** Drafts, depth and pauses with one router; then any router with hints, deadlines and faults. */
    private static void play(final int seed)
    {
        final int every = 1 + seed * 7 % MOST_INPUTS;
        final DepthCase run = DepthCase.of(seed);
        new DepthRun(new DepthRig(run.config().build(), run.acceptance()).checkImages(every), run.faults())
            .play(run.actions());
        final RandomRun random = new RandomRun(Digits.list(seed, 1).get(0), true);
        random.play(new SchedulerHarness(random.config()).checkImages(every), Digits.list(seed, ACTIONS));
    }
}
