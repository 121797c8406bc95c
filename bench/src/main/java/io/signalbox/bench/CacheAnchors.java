// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.reference.PrefixCacheReplay;
import io.signalbox.workload.MooncakeTrace;

import java.nio.file.Path;
import java.util.Locale;

/** Prints what a prefix cache could save on a trace with zero service time: the table of docs/simulation.md. */
public final class CacheAnchors
{
    private static final int[] CAPACITIES = {1_000, 4_000, 16_000, 64_000, PrefixCacheReplay.UNBOUNDED};
    private static final int[] RANKS = {2, 4, 8, 16};

    private CacheAnchors()
    {
    }

    public static void main(final String[] arguments)
    {
        if (arguments.length != 1)
        {
            System.err.println("give one argument, a trace file in the Mooncake format, plain or gzipped.");
            System.exit(2);
        }
        final MooncakeTrace trace = MooncakeTrace.read(Path.of(arguments[0]));
        System.out.println("one rank, leaf-first LRU");
        for (final int capacity : CAPACITIES)
        {
            final PrefixCacheReplay.Result result =
                PrefixCacheReplay.run(trace, 1, PrefixCacheReplay.RankChoice.ROUND_ROBIN, capacity);
            System.out.printf(Locale.ROOT, "%10s blocks  %,9d block hits  %.6f token hits  %,9d evictions%n",
                capacity == PrefixCacheReplay.UNBOUNDED ? "unbounded" : String.format(Locale.ROOT, "%,d", capacity),
                result.blockHits(), result.tokenHitRate(), result.evictions());
        }
        for (final PrefixCacheReplay.RankChoice placement : PrefixCacheReplay.RankChoice.values())
        {
            System.out.println(placement.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ", unbounded cache per rank");
            for (final int ranks : RANKS)
            {
                final PrefixCacheReplay.Result result =
                    PrefixCacheReplay.run(trace, ranks, placement, PrefixCacheReplay.UNBOUNDED);
                System.out.printf(Locale.ROOT, "%10d ranks   %.6f token hits  %.3f max over mean load%n",
                    ranks, result.tokenHitRate(), result.maxOverMeanLoad());
            }
        }
    }
}
