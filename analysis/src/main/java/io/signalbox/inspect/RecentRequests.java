// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.engine.GroupListener;
import io.signalbox.event.GroupReader;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.RequestInspection.SubmittedIds;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.FoldedMatches;
import org.agrona.DirectBuffer;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Follows an engine and remembers the lives of its requests: of those that have not ended, and of those that ended last.
 * Give it to {@code EngineConfig.listener}. Thread-safe.
 */
public final class RecentRequests implements GroupListener
{
    private static final int MOST_ENDED = 10_000;
    /** Events, candidates and blocks of ended requests. */
    private static final long MOST_PARTS = 2_000_000;

    private final int ranks;
    private final Lives lives;
    private final ArrayDeque<Ended> ended = new ArrayDeque<>();
    private final Map<String, Long> byClientId = new HashMap<>();
    private long parts;
    private long groups;

    /** A request that has ended. */
    private record Ended(long requestId, int size)
    {
    }

    /** Collects all lives. */
    private final class Lives extends LifeCollector
    {
        private Lives(final String router, final String fallback)
        {
            super(requestId -> true, router, fallback, FoldedMatches.none());
        }

        @Override
        void ended(final long requestId, final int size)
        {
            ended.addLast(new Ended(requestId, size));
            parts += size;
            while (ended.size() > MOST_ENDED || parts > MOST_PARTS)
            {
                final Ended oldest = ended.removeFirst();
                parts -= oldest.size();
                lives(oldest.requestId()).forEach(life -> byClientId.remove(life.clientId(), oldest.requestId()));
                forget(oldest.requestId());
            }
        }

        @Override
        void named(final long requestId, final String clientId)
        {
            byClientId.put(clientId, requestId);
        }
    }

    /** @param scheduler of the engine. */
    public RecentRequests(final SchedulerConfig scheduler)
    {
        ranks = scheduler.ranks();
        lives = new Lives(scheduler.router().label(), scheduler.router().deciding(false).label());
    }

    @Override
    public synchronized void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        final long timeNanos = GroupReader.inputTimeNanos(group, offset, length);
        lives.onGroup(group, offset, length, groups, Math.max(lives.nowNanos(), timeNanos));
        groups++;
    }

    /** The request that a client gave this id to last; {@code null}: it is not remembered. */
    public synchronized Long requestId(final String clientId)
    {
        return byClientId.get(clientId);
    }

    /** What is remembered of a request; without lives: nothing. */
    public synchronized RequestInspection inspect(final long requestId)
    {
        return new RequestInspection(requestId, ranks, lives.lives(requestId), JournalEnd.BEING_WRITTEN, groups,
            lives.nowNanos(), lives.restarts(), List.of(), new SubmittedIds(0, 0, 0));
    }

    @Override
    public synchronized String toString()
    {
        return ended.size() + " ended requests, and those that have not ended, of " + groups + " groups";
    }
}
