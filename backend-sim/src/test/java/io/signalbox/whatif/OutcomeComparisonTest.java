// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.whatif.WhatIfReport.ChangedDecision;
import io.signalbox.whatif.WhatIfReport.Count;
import io.signalbox.whatif.WhatIfReport.Decisions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Two runs that were told event by event, and every count of their comparison. */
class OutcomeComparisonTest
{
    private static final Count NONE = new Count(0, 0);

    private static Decisions decisions(final ToldRun before, final ToldRun after)
    {
        return OutcomeComparison.of(before.outcome(), after.outcome()).decisions(100);
    }

    private static WhatIfReport.Requests requests(final ToldRun before, final ToldRun after)
    {
        return OutcomeComparison.of(before.outcome(), after.outcome()).requests();
    }

    private static ToldRun ended(final FreeReason reason, final int tokens)
    {
        return new ToldRun().accepted(1, 10).placed(1, 11, 0).ended(1, 50, reason, tokens);
    }

    /** A client that gives up at the same moment has received fewer tokens of a slower run. */
    @ParameterizedTest
    @EnumSource(value = FreeReason.class, names = {"LENGTH", "STOP", "CANCELLED", "DEADLINE"})
    void shouldCountAnotherNumberOfTokensAsAnotherOutcome(final FreeReason reason)
    {
        final Decisions found = decisions(ended(reason, 7), ended(reason, 6));
        assertEquals(new Count(1, 1), found.outcomes());
        final String ending = ended(reason, 7).outcome().request(1).ending();
        assertEquals(List.of(new ChangedDecision(1, "outcome", 50, ending + ", 7 tokens", ending + ", 6 tokens")),
            found.list());
        assertEquals(new Count(1, 0), decisions(ended(reason, 7), ended(reason, 7)).outcomes());
    }

    @Test
    void shouldCountAnotherEndingWithAsManyTokensAsAnotherOutcome()
    {
        final Decisions found = decisions(ended(FreeReason.LENGTH, 7), ended(FreeReason.STOP, 7));
        assertEquals(new Count(1, 1), found.outcomes());
        assertEquals(new Count(1, 0), found.placements());
        assertEquals(2, found.total());
        assertEquals(1, found.different());
    }

    private static ToldRun pressed(final int preemptions, final int pauses)
    {
        final ToldRun run = new ToldRun().accepted(1, 10).placed(1, 11, 0);
        for (int i = 0; i < preemptions; i++)
        {
            run.preempted(1, 20 + i);
        }
        for (int i = 0; i < pauses; i++)
        {
            run.paused(1, 30 + i);
        }
        return run.ended(1, 50, FreeReason.LENGTH, 7);
    }

    /** Preemptions and pauses are one kind of decision: one more of either is a difference, and neither makes up for it. */
    @Test
    void shouldCountPausesAndPreemptionsAsPressure()
    {
        for (int preempted = 0; preempted < 3; preempted++)
        {
            for (int paused = 0; paused < 3; paused++)
            {
                for (int other = 0; other < 9; other++)
                {
                    final boolean none = preempted + paused + other == 0;
                    final int different = preempted == other / 3 && paused == other % 3 ? 0 : 1;
                    assertEquals(none ? NONE : new Count(1, different),
                        decisions(pressed(preempted, paused), pressed(other / 3, other % 3)).preemptions(),
                        preempted + ", " + paused + " and " + other);
                }
            }
        }
        assertEquals(List.of(new ChangedDecision(1, "preemption", 10, "1 preemptions, 0 pauses", "1 preemptions, 2 pauses")),
            decisions(pressed(1, 0), pressed(1, 2)).list());
    }

    @Test
    void shouldCountRequestsThatCompletedInOneRunOnly()
    {
        final ToldRun refused = new ToldRun().refused(1, 10, RefusalReason.TOO_LONG_FOR_POOL)
            .accepted(2, 20).placed(2, 21, 0).ended(2, 60, FreeReason.LENGTH, 5)
            .accepted(3, 30).ended(3, 40, FreeReason.CANCELLED, 0);
        final ToldRun completed = new ToldRun().accepted(1, 10).placed(1, 11, 1).ended(1, 50, FreeReason.STOP, 3)
            .accepted(2, 20).placed(2, 21, 1).ended(2, 55, FreeReason.LENGTH, 5)
            .accepted(3, 30).placed(3, 31, 1).ended(3, 40, FreeReason.LENGTH, 2);

        assertEquals(new WhatIfReport.Requests(1, 0, 2, 0, 1, 0, 0, 1, 0, 0), requests(refused, completed));
        assertEquals(new WhatIfReport.Requests(1, 2, 0, 0, 0, 1, 0, 1, 0, 0), requests(completed, refused));
        assertEquals(new WhatIfReport.Requests(3, 0, 0, 0, 0, 0, 3, 0, 0, 0), requests(completed, completed));
        assertEquals(List.of("outcome", "placement", "placement", "placement", "outcome"),
            decisions(refused, completed).list().stream().map(ChangedDecision::kind).toList());
        final ToldRun alone = new ToldRun().accepted(2, 20).placed(2, 21, 1).ended(2, 55, FreeReason.LENGTH, 5);
        assertEquals(new WhatIfReport.Requests(1, 0, 0, 2, 0, 0, 1, 0, 0, 0), requests(completed, alone));
    }

    /** A placement that only one of the runs made differs; so does each one that is on another rank. */
    @Test
    void shouldComparePlacementsOneByOne()
    {
        final ToldRun twice = new ToldRun().accepted(1, 10).placed(1, 11, 0).placed(1, 30, 2)
            .ended(1, 50, FreeReason.LENGTH, 7);
        final ToldRun other = new ToldRun().accepted(1, 10).placed(1, 11, 0).placed(1, 30, 3)
            .ended(1, 50, FreeReason.LENGTH, 7);
        assertEquals(new Count(2, 1), decisions(twice, other).placements());
        assertEquals(new Count(2, 1), decisions(twice, ended(FreeReason.LENGTH, 7)).placements());
        assertEquals(new Count(2, 1), decisions(ended(FreeReason.LENGTH, 7), twice).placements());
        assertEquals(new Count(2, 0), decisions(twice, twice).placements());
    }

    /** What the first run had not decided when it ended differs from nothing. */
    @Test
    void shouldCompareAnUnfinishedRequestAsFarAsItWent()
    {
        final ToldRun cut = new ToldRun().accepted(1, 10).placed(1, 11, 0).paused(1, 20);
        final Decisions found = decisions(cut, ended(FreeReason.LENGTH, 7));
        assertEquals(1, found.unfinished());
        assertEquals(new Count(1, 0), found.placements());
        assertEquals(NONE, found.preemptions());
        assertEquals(NONE, found.outcomes());
        assertEquals(0, requests(cut, ended(FreeReason.LENGTH, 7)).onlyAfter());
    }
}
