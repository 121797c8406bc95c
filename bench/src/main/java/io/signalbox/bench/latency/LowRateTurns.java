// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The first token at a low rate, by turns with the hand-overs alone. Other users of the host change both from one minute to
 * the next, so one figure of each says little: the turns beside each other say how much the engine adds.
 */
final class LowRateTurns
{
    private static final int TURNS = 5;

    private record Turn(LatencyLoad.Awaited floor, LatencyLoad.Awaited engine)
    {
        long median()
        {
            return engine.visible().getValueAtPercentile(50);
        }

        String columns()
        {
            return String.format(Locale.ROOT, "%s | %s | %.1f |", columns(floor), columns(engine),
                median() / (double)floor.visible().getValueAtPercentile(50));
        }

        private static String columns(final LatencyLoad.Awaited times)
        {
            final Histogram visible = times.visible();
            return EngineLatency.time(visible.getValueAtPercentile(50)) + " | " +
                EngineLatency.time(visible.getValueAtPercentile(99));
        }
    }

    private final List<Turn> turns = new ArrayList<>();

    /**
     * @param floorThreads between the one that sends and itself, in a hand-over alone.
     * @param seconds      of each half of a turn.
     */
    LowRateTurns measure(final LatencyLoad load, final int floorThreads, final double perSecond, final double seconds)
        throws InterruptedException
    {
        for (int i = 0; i < TURNS; i++)
        {
            final LatencyLoad.Awaited floor = WakeUpCost.floor(floorThreads, perSecond, seconds);
            turns.add(new Turn(floor, load.awaited(perSecond, seconds)));
        }
        return this;
    }

    /** Rows of a table, one for each turn. */
    List<String> rows(final String head)
    {
        final List<String> rows = new ArrayList<>();
        for (int i = 0; i < TURNS; i++)
        {
            rows.add(head + (i + 1) + " | " + turns.get(i).columns());
        }
        final List<Turn> sorted = turns.stream().sorted(Comparator.comparingLong(Turn::median)).toList();
        rows.add(head + "*the middle one* | " + sorted.get(TURNS / 2).columns());
        return rows;
    }
}
