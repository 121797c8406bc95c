// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalDiff.ChangedRequest;
import io.signalbox.journal.JournalDiff.Requests;
import io.signalbox.stats.OutcomeCollector;
import io.signalbox.stats.RequestOutcome;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;

/** Matches the requests of two journals by id when they have ended in both, and forgets them then. */
final class RequestMatching
{
    private static final int MOST_WORST = 20;
    /** Requests that one journal ended and the other has not yet. */
    private static final int MOST_WAITING = 1_000_000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final Comparator<ChangedRequest> LEAST_FIRST =
        Comparator.comparingLong(RequestMatching::weight)
            .thenComparing(ChangedRequest::requestId, Comparator.reverseOrder());

    private final Ended left;
    private final Ended right;
    private final PriorityQueue<ChangedRequest> worst = new PriorityQueue<>(LEAST_FIRST);
    private long compared;
    private long equal;
    private long placedElsewhere;
    private long otherCachedTokens;
    private long otherTimes;
    private long otherOutcome;
    private long onlyLeft;
    private long onlyRight;
    private long notCompared;

    /** The requests of one journal: those that run, and those that ended and wait for the other journal. */
    private final class Ended extends OutcomeCollector
    {
        private final boolean isLeft;
        private final Long2ObjectHashMap<RequestOutcome> waiting = new Long2ObjectHashMap<>();

        private Ended(final int blockSizeTokens, final boolean isLeft)
        {
            super(blockSizeTokens);
            this.isLeft = isLeft;
        }

        @Override
        protected void onEnded(final RequestOutcome outcome)
        {
            forget(outcome);
            final Ended other = isLeft ? right : left;
            final RequestOutcome twin = other.waiting.remove(outcome.requestId());
            if (twin != null)
            {
                compare(isLeft ? outcome : twin, isLeft ? twin : outcome);
            }
            else if (waiting.size() >= MOST_WAITING)
            {
                notCompared++;
            }
            else if (waiting.put(outcome.requestId(), outcome) != null)
            {
                // The id was given again before the other journal ended its first request.
                countAlone();
            }
        }

        private void countAlone()
        {
            onlyLeft += isLeft ? 1 : 0;
            onlyRight += isLeft ? 0 : 1;
        }
    }

    RequestMatching(final int leftBlockTokens, final int rightBlockTokens)
    {
        left = new Ended(leftBlockTokens, true);
        right = new Ended(rightBlockTokens, false);
    }

    void onLeft(final JournalReader group)
    {
        left.onGroup(group.group(), 0, group.groupLength());
    }

    void onRight(final JournalReader group)
    {
        right.onGroup(group.group(), 0, group.groupLength());
    }

    /** Both journals have ended: matches the requests that one of them did not end. */
    void end()
    {
        left.waiting.forEach((id, outcome) -> matchUnfinished(left, outcome, right.outcomes().remove(id.longValue())));
        right.waiting.forEach((id, outcome) -> matchUnfinished(right, outcome, left.outcomes().remove(id.longValue())));
        left.outcomes().forEach(
            (id, outcome) -> matchUnfinished(left, outcome, right.outcomes().remove(id.longValue())));
        right.outcomes().forEach((id, outcome) -> right.countAlone());
    }

    private void matchUnfinished(final Ended side, final RequestOutcome outcome, final RequestOutcome twin)
    {
        if (twin == null)
        {
            side.countAlone();
        }
        else
        {
            compare(side.isLeft ? outcome : twin, side.isLeft ? twin : outcome);
        }
    }

    private void compare(final RequestOutcome was, final RequestOutcome is)
    {
        compared++;
        final List<String> changes = new ArrayList<>();
        final boolean moved = !ranks(was).equals(ranks(is));
        final boolean ended = !ending(was).equals(ending(is));
        final boolean cached = was.matchedTokens() != is.matchedTokens();
        final boolean timed = was.waitNanos() != is.waitNanos() || was.ttftNanos() != is.ttftNanos() ||
            was.e2eNanos() != is.e2eNanos();
        placedElsewhere += add(changes, moved, "placed on " + ranks(was) + " / " + ranks(is));
        otherCachedTokens += add(changes, cached, was.matchedTokens() + " / " + is.matchedTokens() + " cached tokens");
        otherOutcome += add(changes, ended, ending(was) + " / " + ending(is));
        otherTimes += add(changes, timed, "end to end " + millis(was) + " / " + millis(is) + " ms");
        if (changes.isEmpty())
        {
            equal++;
            return;
        }
        worst.add(new ChangedRequest(was.requestId(), was.e2eNanos(), is.e2eNanos(), List.copyOf(changes)));
        if (worst.size() > MOST_WORST)
        {
            worst.remove();
        }
    }

    private static int add(final List<String> changes, final boolean differs, final String change)
    {
        if (differs)
        {
            changes.add(change);
        }
        return differs ? 1 : 0;
    }

    private static String ranks(final RequestOutcome request)
    {
        final StringBuilder ranks = new StringBuilder(request.placements() == 0 ? "no rank" : "rank ");
        for (int i = 0; i < request.placements(); i++)
        {
            ranks.append(i == 0 ? "" : ", then ").append(request.rank(i));
        }
        return ranks.toString();
    }

    private static String ending(final RequestOutcome request)
    {
        return request.ending() + ", " + request.generatedTokens() + " tokens" +
            (request.preemptions() == 0 ? "" : ", preempted " + request.preemptions() + " times") +
            (request.pauses() == 0 ? "" : ", paused " + request.pauses() + " times") +
            (request.restarts() == 0 ? "" : ", started over " + request.restarts() + " times");
    }

    private static String millis(final RequestOutcome request)
    {
        return request.hasEnded()
            ? String.format(Locale.ROOT, "%.3f", request.e2eNanos() / NANOS_PER_MILLI) : "unfinished";
    }

    /** A request that ended in one journal only weighs most. */
    private static long weight(final ChangedRequest request)
    {
        return request.leftE2eNanos() < 0 || request.rightE2eNanos() < 0
            ? Long.MAX_VALUE : Math.abs(request.rightE2eNanos() - request.leftE2eNanos());
    }

    Requests counts()
    {
        return new Requests(compared, equal, placedElsewhere, otherCachedTokens, otherTimes, otherOutcome, onlyLeft,
            onlyRight, notCompared);
    }

    /** The most different ones first. */
    List<ChangedRequest> worst()
    {
        return worst.stream().sorted(LEAST_FIRST.reversed()).toList();
    }
}
