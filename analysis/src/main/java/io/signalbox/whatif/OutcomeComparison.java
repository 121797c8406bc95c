// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.stats.RequestOutcome;
import io.signalbox.whatif.WhatIfReport.ChangedDecision;
import io.signalbox.whatif.WhatIfReport.Count;
import io.signalbox.whatif.WhatIfReport.Decisions;
import io.signalbox.whatif.WhatIfReport.Divergence;
import io.signalbox.whatif.WhatIfReport.LatencyDifference;
import io.signalbox.whatif.WhatIfReport.Requests;
import io.signalbox.whatif.WhatIfReport.SlowerRequest;
import org.agrona.collections.LongArrayList;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Compares what became of the requests in two runs. */
final class OutcomeComparison
{
    private static final int MOST_WORST = 20;
    private static final Comparator<ChangedDecision> BY_TIME =
        Comparator.comparingLong(ChangedDecision::atNanos).thenComparingLong(ChangedDecision::requestId)
            .thenComparing(ChangedDecision::kind);

    private final RunOutcome before;
    private final RunOutcome after;
    private final List<ChangedDecision> changes = new ArrayList<>();
    private final long[] totals = new long[Kind.values().length];
    private final long[] differences = new long[Kind.values().length];
    private final LongArrayList ttft = new LongArrayList();
    private final LongArrayList e2e = new LongArrayList();
    private final List<SlowerRequest> slower = new ArrayList<>();
    private long unknown;
    private long onlyBefore;
    private long onlyAfter;
    private long notSubmitted;
    private long otherRank;
    private long fewerCached;
    private long moreCached;

    private enum Kind
    {
        PLACEMENT("placement"), ADMISSION("admission"), PREEMPTION("preemption"), OUTCOME("outcome");

        private final String label;

        Kind(final String label)
        {
            this.label = label;
        }
    }

    private OutcomeComparison(final RunOutcome before, final RunOutcome after)
    {
        this.before = before;
        this.after = after;
    }

    /** Compares all requests of the first run. The other one has none beside them. */
    static OutcomeComparison of(final RunOutcome before, final RunOutcome after)
    {
        final OutcomeComparison comparison = new OutcomeComparison(before, after);
        before.requests().forEach(comparison::compare);
        comparison.changes.sort(BY_TIME);
        return comparison;
    }

    private void compare(final RequestOutcome was)
    {
        final RequestOutcome is = after.request(was.requestId());
        if (!was.hasEnded())
        {
            compareUnfinished(was, is);
            return;
        }
        if (is == null)
        {
            notSubmitted++;
            differ(Kind.OUTCOME, was, was.endNanos(), was.ending(), "not submitted");
            return;
        }
        final int placements = Math.max(was.placements(), is.placements());
        for (int i = 0; i < placements; i++)
        {
            final boolean same = was.rank(i) == is.rank(i);
            count(Kind.PLACEMENT, same, was, (i < was.placements() ? was : is).placedNanos(i),
                rank(was.rank(i)), rank(is.rank(i)));
        }
        if (was.isAdmitted() || is.isAdmitted())
        {
            count(Kind.ADMISSION, was.isAdmitted() == is.isAdmitted() && was.matchedTokens() == is.matchedTokens(), was,
                (was.isAdmitted() ? was : is).admittedNanos(), cached(was), cached(is));
        }
        if (was.preemptions() + was.pauses() + is.preemptions() + is.pauses() > 0)
        {
            final RequestOutcome pressed = was.preemptions() + was.pauses() > 0 ? was : is;
            count(Kind.PREEMPTION, was.preemptions() == is.preemptions() && was.pauses() == is.pauses(), was,
                pressed.isAdmitted() ? pressed.admittedNanos() : was.submitNanos(), pressure(was), pressure(is));
        }
        count(Kind.OUTCOME, was.ending().equals(is.ending()) && was.generatedTokens() == is.generatedTokens(), was,
            was.endNanos(), end(was), end(is));
        compareTimes(was, is);
    }

    /** The first run ends before its request: what it had not decided by then is unknown, and differs from nothing. */
    private void compareUnfinished(final RequestOutcome was, final RequestOutcome is)
    {
        final int placements = was.placements();
        for (int i = 0; i < placements; i++)
        {
            final int rank = is == null ? RequestOutcome.NONE : is.rank(i);
            count(Kind.PLACEMENT, was.rank(i) == rank, was, was.placedNanos(i), rank(was.rank(i)), rank(rank));
        }
        if (was.isAdmitted())
        {
            final boolean same = is != null && is.isAdmitted() && was.matchedTokens() == is.matchedTokens();
            count(Kind.ADMISSION, same, was, was.admittedNanos(), cached(was), is == null ? "not submitted" : cached(is));
        }
        unknown++;
    }

    private void count(
        final Kind kind,
        final boolean same,
        final RequestOutcome was,
        final long atNanos,
        final String beforeText,
        final String afterText)
    {
        if (same)
        {
            totals[kind.ordinal()]++;
        }
        else
        {
            differ(kind, was, atNanos, beforeText, afterText);
        }
    }

    private void differ(
        final Kind kind, final RequestOutcome was, final long atNanos, final String beforeText, final String afterText)
    {
        totals[kind.ordinal()]++;
        differences[kind.ordinal()]++;
        changes.add(new ChangedDecision(was.requestId(), kind.label, atNanos, beforeText, afterText));
    }

    private static String rank(final int rank)
    {
        return rank == RequestOutcome.NONE ? "not placed" : "rank " + rank;
    }

    private static String cached(final RequestOutcome request)
    {
        return request.isAdmitted() ? request.matchedTokens() + " cached tokens" : "not admitted";
    }

    private static String pressure(final RequestOutcome request)
    {
        return request.preemptions() + " preemptions, " + request.pauses() + " pauses";
    }

    private static String end(final RequestOutcome request)
    {
        return request.ending() + ", " + request.generatedTokens() + " tokens";
    }

    private void compareTimes(final RequestOutcome was, final RequestOutcome is)
    {
        onlyBefore += was.isCompleted() && !is.isCompleted() ? 1 : 0;
        onlyAfter += is.isCompleted() && !was.isCompleted() ? 1 : 0;
        if (!was.isCompleted() || !is.isCompleted())
        {
            return;
        }
        final long lost = is.e2eNanos() - was.e2eNanos();
        e2e.addLong(lost);
        if (was.hasFirstToken() && is.hasFirstToken())
        {
            ttft.addLong(is.ttftNanos() - was.ttftNanos());
        }
        otherRank += was.rank(0) == is.rank(0) ? 0 : 1;
        fewerCached += is.matchedTokens() < was.matchedTokens() ? 1 : 0;
        moreCached += is.matchedTokens() > was.matchedTokens() ? 1 : 0;
        if (lost > 0)
        {
            keepWorst(new SlowerRequest(was.requestId(), was.e2eNanos(), is.e2eNanos(), was.rank(0), is.rank(0),
                SlowerReasons.of(was, is)));
        }
    }

    private void keepWorst(final SlowerRequest request)
    {
        slower.add(request);
        if (slower.size() == 64 * MOST_WORST)
        {
            final List<SlowerRequest> worst = worst();
            slower.clear();
            slower.addAll(worst);
        }
    }

    private List<SlowerRequest> worst()
    {
        return slower.stream().sorted(Comparator.comparingLong(OutcomeComparison::lost).reversed()
            .thenComparingLong(SlowerRequest::requestId)).limit(MOST_WORST).toList();
    }

    private static long lost(final SlowerRequest request)
    {
        return request.afterNanos() - request.beforeNanos();
    }

    /** @param listed most decisions to list. */
    Decisions decisions(final int listed)
    {
        final Count[] counts = new Count[totals.length];
        long total = 0;
        long different = 0;
        for (int i = 0; i < counts.length; i++)
        {
            counts[i] = new Count(totals[i], differences[i]);
            total += totals[i];
            different += differences[i];
        }
        return new Decisions(total, different, unknown, counts[Kind.PLACEMENT.ordinal()], counts[Kind.ADMISSION.ordinal()],
            counts[Kind.PREEMPTION.ordinal()], counts[Kind.OUTCOME.ordinal()], divergence(),
            changes.stream().limit(listed).toList());
    }

    private Divergence divergence()
    {
        for (final ChangedDecision change : changes)
        {
            if (change.kind().equals(Kind.PLACEMENT.label))
            {
                return new Divergence(change.requestId(), before.placements().of(change.requestId()),
                    after.placements().of(change.requestId()));
            }
        }
        return null;
    }

    Requests requests()
    {
        final long faster = e2e.longStream().filter(lost -> lost < 0).count();
        final long slowerOnes = e2e.longStream().filter(lost -> lost > 0).count();
        return new Requests(e2e.size(), onlyBefore, onlyAfter, notSubmitted, faster, slowerOnes,
            e2e.size() - faster - slowerOnes, otherRank, fewerCached, moreCached);
    }

    LatencyDifference latency()
    {
        return new LatencyDifference(Distributions.of(ttft), Distributions.of(e2e), worst());
    }
}
