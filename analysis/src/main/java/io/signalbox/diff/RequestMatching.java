// SPDX-License-Identifier: Apache-2.0
package io.signalbox.diff;

import io.signalbox.diff.JournalDiff.ChangedRequest;
import io.signalbox.diff.JournalDiff.Requests;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunRequest;
import io.signalbox.stats.OutcomeCollector;
import io.signalbox.stats.RequestOutcome;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;

/** Matches the requests of two journals, by id or by prompt, when they have ended in both, and forgets them then. */
final class RequestMatching
{
    private static final int MOST_WORST = 20;
    /** Requests that one journal ended and the other has not yet. */
    private static final int MOST_WAITING = 1_000_000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final Comparator<ChangedRequest> LEAST_FIRST =
        Comparator.comparingLong(RequestMatching::weight)
            .thenComparing(ChangedRequest::requestId, Comparator.reverseOrder());

    private final String matchedBy;
    private final boolean byId;
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
    private long otherPrompt;

    /** A request that has ended, or will not. */
    private record Life(RequestOutcome outcome, long prompt)
    {
    }

    /** The requests of one journal: those that run, and those that ended and wait for the other journal. */
    private final class Ended extends OutcomeCollector
    {
        private final boolean isLeft;
        private final RequestKeys keys;
        private final RunFold fold = RunFold.within(this);
        private final Long2ObjectHashMap<Life> waiting = new Long2ObjectHashMap<>();

        private Ended(final int blockSizeTokens, final boolean isLeft, final RequestKeys keys)
        {
            super(blockSizeTokens);
            this.isLeft = isLeft;
            this.keys = keys;
        }

        @Override
        public void onSubmit(final SubmitDecoder submit)
        {
            keys.onSubmit(submit);
        }

        @Override
        public void onAccepted(final RunRequest request)
        {
            keys.begin(request.id());
            super.onAccepted(request);
        }

        @Override
        public void onRefused(final RunRequest request, final RefusedDecoder answer)
        {
            keys.begin(request.id());
            super.onRefused(request, answer);
        }

        private Life life(final RequestOutcome outcome)
        {
            return new Life(outcome, keys.prompt(outcome.requestId()));
        }

        @Override
        protected void onEnded(final RequestOutcome outcome)
        {
            forget(outcome);
            final Ended other = isLeft ? right : left;
            final long key = keys.key(outcome.requestId());
            final Life ended = life(outcome);
            keys.end(outcome.requestId());
            final Life twin = other.waiting.remove(key);
            if (twin != null)
            {
                compare(isLeft ? ended : twin, isLeft ? twin : ended);
            }
            else if (waiting.size() >= MOST_WAITING)
            {
                notCompared++;
            }
            else if (waiting.put(key, ended) != null)
            {
                // The id was given again before the other journal ended its first request.
                countAlone();
            }
        }

        /** The request with this key that has not ended, which is forgotten; {@code null} if there is none. */
        private Life unfinished(final Long2ObjectHashMap<RequestOutcome> byKey, final long key)
        {
            final RequestOutcome outcome = byKey.remove(key);
            return outcome == null ? null : life(outcome);
        }

        private Long2ObjectHashMap<RequestOutcome> byKey()
        {
            final Long2ObjectHashMap<RequestOutcome> byKey = new Long2ObjectHashMap<>();
            outcomes().forEach((id, outcome) -> byKey.put(keys.key(id), outcome));
            return byKey;
        }

        private void countAlone()
        {
            onlyLeft += isLeft ? 1 : 0;
            onlyRight += isLeft ? 0 : 1;
        }
    }

    /**
     * @param matchedBy {@link JournalDiff#BY_ID}, or the part of prompts by which requests match; equal parts match in the
     *                  order of their Submits.
     */
    RequestMatching(
        final String matchedBy, final int leftBlockTokens, final int rightBlockTokens, final ComparedPrompts compared)
    {
        this.matchedBy = matchedBy;
        byId = matchedBy.equals(JournalDiff.BY_ID);
        left = new Ended(leftBlockTokens, true, new RequestKeys(byId, compared));
        right = new Ended(rightBlockTokens, false, new RequestKeys(byId, compared));
    }

    void onLeft(final JournalReader group)
    {
        left.fold.onGroup(group.group(), 0, group.groupLength());
    }

    void onRight(final JournalReader group)
    {
        right.fold.onGroup(group.group(), 0, group.groupLength());
    }

    /** Both journals have ended: matches the requests that one of them did not end. */
    void end()
    {
        final Long2ObjectHashMap<RequestOutcome> leftLive = left.byKey();
        final Long2ObjectHashMap<RequestOutcome> rightLive = right.byKey();
        left.waiting.forEach((key, life) -> matchUnfinished(left, life, right.unfinished(rightLive, key)));
        right.waiting.forEach((key, life) -> matchUnfinished(right, life, left.unfinished(leftLive, key)));
        leftLive.forEach(
            (key, outcome) -> matchUnfinished(left, left.life(outcome), right.unfinished(rightLive, key)));
        rightLive.forEach((key, outcome) -> right.countAlone());
    }

    private void matchUnfinished(final Ended side, final Life life, final Life twin)
    {
        if (twin == null)
        {
            side.countAlone();
        }
        else
        {
            compare(side.isLeft ? life : twin, side.isLeft ? twin : life);
        }
    }

    private void compare(final Life leftLife, final Life rightLife)
    {
        compared++;
        otherPrompt += leftLife.prompt == rightLife.prompt ? 0 : 1;
        final RequestOutcome was = leftLife.outcome;
        final RequestOutcome is = rightLife.outcome;
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
        add(changes, was.requestId() != is.requestId(), "request " + was.requestId() + " / " + is.requestId());
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
        return new Requests(matchedBy, compared, equal, placedElsewhere, otherCachedTokens, otherTimes,
            otherOutcome, onlyLeft, onlyRight, notCompared, otherPrompt);
    }

    /** Whether ids seem to mean other requests in the other journal. */
    boolean hasOtherIds()
    {
        return byId && (otherPrompt > 0 || onlyLeft > 0 && onlyRight > 0);
    }

    /** Number of requests of the journal with more requests. */
    long requests()
    {
        return compared + Math.max(onlyLeft, onlyRight);
    }

    /** Requests that are in both journals with the same prompt. */
    long samePrompts()
    {
        return compared - otherPrompt;
    }

    /** The most different ones first. */
    List<ChangedRequest> worst()
    {
        return worst.stream().sorted(LEAST_FIRST.reversed()).toList();
    }
}
