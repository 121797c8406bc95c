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

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Compares two runs that a test writes event by event, and checks every count of the comparison. */
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

    /** If a client gives up at the same moment, it has received fewer tokens from a slower run. */
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

    /** Preemptions and pauses are one kind of decision, and each of the two numbers must be equal. */
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
            .accepted(2, 20).placed(2, 21, 0).accepted(3, 30).ended(3, 40, FreeReason.CANCELLED, 0)
            .ended(2, 60, FreeReason.LENGTH, 5);
        final ToldRun completed = new ToldRun().accepted(1, 10).placed(1, 11, 1).accepted(2, 20).placed(2, 21, 1)
            .accepted(3, 30).placed(3, 31, 1).ended(3, 40, FreeReason.LENGTH, 2).ended(1, 50, FreeReason.STOP, 3)
            .ended(2, 55, FreeReason.LENGTH, 5);

        assertEquals(new WhatIfReport.Requests(1, 0, 2, 0, 1, 0, 0, 1, 0, 0), requests(refused, completed));
        assertEquals(new WhatIfReport.Requests(1, 2, 0, 0, 0, 1, 0, 1, 0, 0), requests(completed, refused));
        assertEquals(new WhatIfReport.Requests(3, 0, 0, 0, 0, 0, 3, 0, 0, 0), requests(completed, completed));
        assertEquals(List.of("outcome", "placement", "placement", "placement", "outcome"),
            decisions(refused, completed).list().stream().map(ChangedDecision::kind).toList());
        final ToldRun alone = new ToldRun().accepted(2, 20).placed(2, 21, 1).ended(2, 55, FreeReason.LENGTH, 5);
        assertEquals(new WhatIfReport.Requests(1, 0, 0, 2, 0, 0, 1, 0, 0, 0), requests(completed, alone));
    }

    /** A placement differs if only one run made it, or if its rank differs. */
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

    private static List<Long> times(final ToldRun before, final ToldRun after)
    {
        return decisions(before, after).list().stream().map(ChangedDecision::atNanos).toList();
    }

    /** If the first run did not take a decision, the decision has the time of the other run. */
    @Test
    void shouldListADecisionWithTheTimeOfTheRunThatTookIt()
    {
        final ToldRun none = new ToldRun().accepted(1, 10).ended(1, 50, FreeReason.CANCELLED, 0);
        final ToldRun all = new ToldRun().accepted(1, 10).placed(1, 21, 0).admitted(1, 22, 0).preempted(1, 23)
            .placed(1, 31, 2).ended(1, 60, FreeReason.CANCELLED, 1);
        assertEquals(List.of(21L, 22L, 22L, 31L, 50L), times(none, all));
        assertEquals(List.of(21L, 22L, 22L, 31L, 60L), times(all, none));
        assertEquals(List.of("placement", "admission", "preemption", "placement", "outcome"),
            decisions(none, all).list().stream().map(ChangedDecision::kind).toList());
        assertEquals(List.of(60L), times(all, new ToldRun()));
        final ToldRun unfinished = new ToldRun().accepted(1, 10).placed(1, 31, 0);
        assertEquals(List.of(31L), times(unfinished, none));
    }

    /** Cached tokens of an admission count if a step of that admission was committed. */
    @Test
    void shouldCompareTheCachedTokensThatARequestUsed()
    {
        final ToldRun withdrawn = new ToldRun().accepted(1, 10).admitted(1, 20, 2).preempted(1, 21).admitted(1, 21, 1)
            .token(1, 30).preempted(1, 31).admitted(1, 32, 2).ended(1, 50, FreeReason.LENGTH, 1);
        final ToldRun once = new ToldRun().accepted(1, 10).admitted(1, 20, 1).token(1, 30)
            .ended(1, 50, FreeReason.LENGTH, 1);
        assertEquals(new Count(1, 0), decisions(withdrawn, once).admissions());
        final ToldRun gone = new ToldRun().accepted(1, 10).admitted(1, 20, 2).preempted(1, 21)
            .ended(1, 50, FreeReason.CANCELLED, 0);
        assertEquals(List.of("0 cached tokens", "16 cached tokens"), decisions(gone, once).list().stream()
            .filter(change -> change.kind().equals("admission"))
            .flatMap(change -> Stream.of(change.before(), change.after())).toList());
    }

    /** If the first run ends before a decision, that decision is not compared. */
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

    private static List<WhatIfReport.SlowerRequest> worst(final ToldRun before, final ToldRun after)
    {
        return OutcomeComparison.of(before.outcome(), after.outcome()).latency().worst();
    }

    private static long lost(final int requestId)
    {
        return requestId * 7_919L % 1_000;
    }

    /** More requests than the comparison keeps at a time; of equal requests the lower id comes first. */
    @Test
    void shouldListTheRequestsThatLostMost()
    {
        final int requests = 3_000;
        final ToldRun before = new ToldRun();
        final ToldRun after = new ToldRun();
        for (int id = 1; id <= requests; id++)
        {
            final long start = 2_000L * id;
            before.accepted(id, start).ended(id, start + 100, FreeReason.LENGTH, 1);
            after.accepted(id, start).ended(id, start + 100 + lost(id), FreeReason.LENGTH, 1);
        }
        final List<Long> expected = IntStream.rangeClosed(1, requests).boxed()
            .sorted(Comparator.<Integer>comparingLong(OutcomeComparisonTest::lost).reversed().thenComparing(id -> id))
            .limit(20).map(Integer::longValue).toList();

        final List<WhatIfReport.SlowerRequest> worst = worst(before, after);
        assertEquals(expected, worst.stream().map(WhatIfReport.SlowerRequest::requestId).toList());
        worst.forEach(request ->
        {
            assertEquals(100, request.beforeNanos());
            assertEquals(100 + lost((int)request.requestId()), request.afterNanos());
        });
        assertEquals(List.of(), worst(after, before));
    }

    private static List<String> reasons(final ToldRun before, final ToldRun after)
    {
        return worst(before.ended(1, 50, FreeReason.LENGTH, 1), after.ended(1, 60, FreeReason.LENGTH, 1)).get(0).reasons();
    }

    private static ToldRun began(final int rank)
    {
        return new ToldRun().accepted(1, 10).placed(1, 11, rank);
    }

    @Test
    void shouldSayWhatDiffersAboutASlowerRequest()
    {
        assertEquals(List.of("longer steps"), reasons(began(0), began(0)));
        assertEquals(List.of("rank 2 instead of 0"), reasons(began(0), began(2)));
        assertEquals(List.of("preempted 2 times instead of 1"),
            reasons(began(0).preempted(1, 20), began(0).preempted(1, 20).preempted(1, 30)));
        assertEquals(List.of("longer steps"), reasons(began(0).preempted(1, 20).paused(1, 21), began(0)));
        assertEquals(List.of("preempted 1 times instead of 0", "paused 1 times instead of 0", "rank 1 instead of 0"),
            reasons(began(0), began(1).paused(1, 20).preempted(1, 30)));
    }

    private static ToldRun served(final long admitted, final int matchedBlocks, final long token, final long end)
    {
        return new ToldRun().accepted(1, 10).placed(1, 11, 0).admitted(1, admitted, matchedBlocks).token(1, token)
            .ended(1, end, FreeReason.LENGTH, 3);
    }

    @Test
    void shouldCompareCachedTokensAndTimes()
    {
        final ToldRun before = served(20, 2, 30, 50);
        final ToldRun after = served(24, 1, 37, 70);
        assertEquals(new WhatIfReport.Requests(1, 0, 0, 0, 0, 1, 0, 0, 1, 0), requests(before, after));
        assertEquals(new WhatIfReport.Requests(1, 0, 0, 0, 1, 0, 0, 0, 0, 1), requests(after, before));
        assertEquals(new Count(1, 1), decisions(before, after).admissions());
        assertEquals(List.of(new ChangedDecision(1, "admission", 20, "32 cached tokens", "16 cached tokens")),
            decisions(before, after).list());
        assertEquals(new Count(1, 0), decisions(before, served(24, 2, 37, 70)).admissions());
        assertEquals(new Count(1, 1), decisions(before, ended(FreeReason.LENGTH, 3)).admissions());
        final WhatIfReport.LatencyDifference times = OutcomeComparison.of(before.outcome(), after.outcome()).latency();
        assertEquals(new WhatIfReport.Distribution(1, 7.0, 7, 7, 7, 7, 7), times.ttft());
        assertEquals(new WhatIfReport.Distribution(1, 20.0, 20, 20, 20, 20, 20), times.e2e());
    }

    /** The wait comes first if it makes half of the loss, and the time per token is named if it does. */
    @Test
    void shouldSayWhetherARequestWaitedOrDecodedLonger()
    {
        final ToldRun before = served(20, 2, 30, 1_000_050);
        assertEquals(List.of("waited 1.000 ms longer", "16 cached tokens instead of 32"),
            worst(before, served(1_000_020, 1, 1_000_030, 2_000_050)).get(0).reasons());
        assertEquals(List.of("16 cached tokens instead of 32", "waited 0.400 ms longer",
            "0.800 ms per token instead of 0.500"), worst(before, served(400_020, 1, 400_030, 2_000_050)).get(0).reasons());
        assertEquals(List.of("1.000 ms per token instead of 0.500"),
            worst(before, served(20, 2, 30, 2_000_050)).get(0).reasons());
    }
}
