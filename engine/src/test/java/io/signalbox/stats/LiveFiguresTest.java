// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import com.sun.management.ThreadMXBean;
import io.signalbox.engine.RecordedGroups;
import io.signalbox.event.MessageNames;
import io.signalbox.state.RunFold;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Figures that are asked for while groups are counted. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveFiguresTest
{
    private static final int ROUNDS = 20;
    private static final int ASKING = 3;

    private static List<UnsafeBuffer> groups;

    @BeforeAll
    static void record() throws InterruptedException
    {
        groups = RecordedGroups.ofRequests(300);
    }

    private static LiveFigures figures()
    {
        return new LiveFigures(RecordedGroups.RANKS, RecordedGroups.KV_BLOCKS, 16, 0, "a", "b");
    }

    private static void count(final LiveFigures figures)
    {
        groups.forEach(group -> figures.onGroup(group, 0, group.capacity()));
    }

    @Test
    void shouldBeOfOneMomentWhoeverAsks() throws Exception
    {
        final LiveFigures alone = figures();
        count(alone);
        final ExecutorService threads = Executors.newFixedThreadPool(ASKING);
        long asked = 0;
        for (int round = 0; round < ROUNDS; round++)
        {
            final LiveFigures figures = figures();
            final List<Future<Long>> askers = new ArrayList<>();
            for (int i = 0; i < ASKING; i++)
            {
                askers.add(threads.submit(asker(figures)));
            }
            count(figures);
            for (final Future<Long> asker : askers)
            {
                asked += asker.get();
            }
            assertEquals(alone.stats(null), figures.stats(null));
        }
        threads.shutdown();
        assertTrue(asked > ROUNDS * ASKING, asked + " questions");
    }

    /** Asks until all requests have ended. */
    private static Callable<Long> asker(final LiveFigures figures)
    {
        return () ->
        {
            long asked = 0;
            long accepted = 0;
            for (EngineStats stats = figures.stats(null); stats.requests().completed() < 300; stats = figures.stats(null))
            {
                checkOneMoment(stats);
                assertTrue(stats.requests().accepted() >= accepted, "a counter fell");
                accepted = stats.requests().accepted();
                asked++;
            }
            return asked + 1;
        };
    }

    /** If a request loses its blocks and is admitted again, its wait and its prefix query count only once. */
    @Test
    void shouldCountTheFirstAdmissionOfARequestOnly()
    {
        final int blocks = 12;
        final LiveFigures figures = new LiveFigures(1, blocks, 16, 0, "a", "b");
        final OutcomeCollector outcomes = new OutcomeCollector(16);
        final RunFold fold = RunFold.of(outcomes);
        for (final UnsafeBuffer group : RecordedGroups.underPressure(60, blocks, 60))
        {
            figures.onGroup(group, 0, group.capacity());
            fold.onGroup(group, 0, group.capacity());
        }
        final EngineStats stats = figures.stats(null);
        long promptTokens = 0;
        long matchedTokens = 0;
        double waitNanos = 0;
        for (final RequestOutcome outcome : outcomes.outcomes().values())
        {
            promptTokens += outcome.promptTokens();
            matchedTokens += outcome.matchedTokens();
            waitNanos += outcome.waitNanos();
        }
        assertTrue(stats.requests().preemptions() > 10, stats::toString);
        assertTrue(matchedTokens > 0, "no request found a prefix");
        assertEquals(new EngineStats.PrefixFigures(promptTokens, matchedTokens), stats.prefixCache());
        assertEquals(60, stats.queueTime().count());
        assertEquals(waitNanos, stats.queueTime().sumNanos());
        assertEquals(60, stats.timeToFirstToken().count());
        assertEquals(60, stats.endToEnd().count());
        assertEquals(0, stats.requests().running());
        assertEquals(0, stats.ranks().stream().mapToDouble(EngineStats.Rank::kvUsage).sum());
    }

    /** A shortened journal has the request as its beginning tells it, and not the group that admitted it. */
    @Test
    void shouldNotTimeFromAnAdmissionThatWasRemoved() throws InterruptedException
    {
        final List<UnsafeBuffer> kept = new ArrayList<>(RecordedGroups.ofRequests(1));
        kept.remove(kept.stream().filter(group -> MessageNames.ofGroup(group, 0, group.capacity()).contains("Schedule"))
            .findFirst().orElseThrow());
        final LiveFigures figures = figures();
        kept.forEach(group -> figures.onGroup(group, 0, group.capacity()));
        final EngineStats stats = figures.stats(null);
        assertEquals(1, stats.requests().completed());
        assertEquals(0, stats.times().prefill().count());
        assertEquals(0, stats.times().inference().count());
        assertEquals(1, stats.times().decode().count());
    }

    private static void checkOneMoment(final EngineStats stats)
    {
        final EngineStats.RequestFigures requests = stats.requests();
        assertEquals(requests.accepted(), requests.running() + requests.waiting() + requests.completed(), stats::toString);
        assertEquals(requests.running(), stats.ranks().stream().mapToLong(EngineStats.Rank::running).sum(), stats::toString);
        assertEquals(stats.steps().generatedTokens(),
            stats.timeToFirstToken().count() + stats.interTokenLatency().count(), stats::toString);
        assertEquals(requests.completed(), stats.endToEnd().count(), stats::toString);
        for (final Latency latency : List.of(stats.timeToFirstToken(), stats.interTokenLatency()))
        {
            final List<Latency.Bucket> buckets = latency.buckets();
            assertEquals(latency.count(), buckets.isEmpty() ? 0 : buckets.get(buckets.size() - 1).count(), stats::toString);
        }
    }

    /** The thread that completes requests counts groups; a thread that asks may be put to sleep in the middle. */
    @Test
    void shouldNotHoldGroupsUpWhileSomebodyAsks() throws Exception
    {
        final LiveFigures figures = figures();
        final Thread counting = new Thread(() -> count(figures));
        synchronized (figures)
        {
            counting.start();
            counting.join();
        }
        assertEquals(300, figures.stats(null).requests().completed());
    }

    @Test
    void shouldLeaveNoGarbageOnceAsManyRequestsWereAlive()
    {
        final LiveFigures figures = figures();
        for (int round = 0; round < 3; round++)
        {
            count(figures);
        }
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long thread = Thread.currentThread().getId();
        final long before = threads.getThreadAllocatedBytes(thread);
        for (int group = 0; group < groups.size(); group++)
        {
            figures.onGroup(groups.get(group), 0, groups.get(group).capacity());
        }
        final long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertTrue(allocated < 1024, allocated + " bytes for " + groups.size() + " groups");
        assertEquals(4 * 300, figures.stats(null).requests().completed());
    }

    @Test
    void shouldCountEachLatencyInTheBucketOfItsBound()
    {
        final LatencyFigure figure = new LatencyFigure();
        assertEquals(48, figure.latency().buckets().stream().filter(bucket -> bucket.count() == 0).count());
        figure.record(-5, 1);
        figure.record(TimeUnit.MICROSECONDS.toNanos(10), 2);
        figure.record(TimeUnit.MICROSECONDS.toNanos(11), 3);
        figure.record(TimeUnit.SECONDS.toNanos(2), 4);
        figure.record(TimeUnit.HOURS.toNanos(3), 5);
        final Latency latency = figure.latency();

        assertEquals(3, countUpTo(latency, TimeUnit.MICROSECONDS.toNanos(10)));
        assertEquals(6, countUpTo(latency, TimeUnit.MICROSECONDS.toNanos(25)));
        assertEquals(6, countUpTo(latency, TimeUnit.MILLISECONDS.toNanos(1500)));
        assertEquals(10, countUpTo(latency, TimeUnit.SECONDS.toNanos(2)));
        assertEquals(10, countUpTo(latency, TimeUnit.SECONDS.toNanos(2560)));
        assertEquals(15, latency.count());
        assertEquals(TimeUnit.HOURS.toNanos(3), latency.maxNanos());
        assertEquals(48, latency.buckets().size());
    }

    private static long countUpTo(final Latency latency, final long nanos)
    {
        return latency.buckets().stream().filter(bucket -> bucket.boundNanos() == nanos).findFirst().orElseThrow().count();
    }

    /** A program that prints its figures prints lines that a person can read. */
    @Test
    void shouldPrintALatencyInOneLineWithoutItsBuckets()
    {
        assertEquals("2 values, mean 1.500 ms, p50 1.000, p90 2.000, p99 2.000, p99.9 2.000, max 2.000",
            new Latency(2, 3e6, 1_000_000, 2_000_000, 2_000_000, 2_000_000, 2_000_000,
                List.of(new Latency.Bucket(1_000_000, 1))).toString());
    }
}
