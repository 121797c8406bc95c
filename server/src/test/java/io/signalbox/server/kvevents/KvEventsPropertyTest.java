// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import io.signalbox.Tries;
import io.signalbox.engine.GroupListener;
import io.signalbox.event.GroupReader;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.BlockStates;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RunFold;
import io.signalbox.state.StateFold;
import io.signalbox.state.StateShape;
import io.signalbox.testkit.EngineHarness;
import io.signalbox.testkit.HarnessPlay;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Subscribers that rebuild the caches from messages know what the engine's prefix indexes have, whatever its requests, steps
 * and faults are. Reduced: 120 plays, 4,000 operations; full: 3,000 plays, 100,000 operations.
 */
class KvEventsPropertyTest
{
    private static final int LATE = 7;

    /** An engine, its folded prefix indexes, and its subscribers. */
    private static final class Followed
    {
        private final FoldedState state;
        private final RunFold fold;
        private final KvEvents events;
        private final CachedBlocks blocks;
        private final List<KvEventLog> logs = new ArrayList<>();
        private final CacheSubscriber[] early;
        private final CacheSubscriber[] late;
        private final long[] lateNext;
        private long groups;

        private Followed(final SchedulerConfig config)
        {
            state = new FoldedState(new StateShape(config.ranks(), config.kvBlocks(), config.blockSizeTokens(),
                true, true, config.capture() != null));
            fold = RunFold.of(new StateFold(state));
            events = new KvEvents(config, new KvEventConfig());
            blocks = new CachedBlocks(config);
            early = subscribers(config);
            late = subscribers(config);
            lateNext = new long[config.ranks()];
            for (int rank = 0; rank < config.ranks(); rank++)
            {
                logs.add(new KvEventLog(rank, 100_000, Long.MAX_VALUE));
            }
        }

        private static CacheSubscriber[] subscribers(final SchedulerConfig config)
        {
            final CacheSubscriber[] all = new CacheSubscriber[config.ranks()];
            Arrays.setAll(all, rank -> new CacheSubscriber(config));
            return all;
        }

        private GroupListener listener()
        {
            return (group, offset, length) ->
            {
                fold.onGroup(group, offset, length, GroupReader.inputTimeNanos(group, offset, length));
                events.onGroup(group, offset, length);
                blocks.apply(group, offset, length);
                for (int rank = 0; rank < early.length; rank++)
                {
                    publish(rank);
                    assertEquals(indexed(rank), early[rank].hashes(), "rank " + rank + " after group " + groups);
                }
                if (++groups == LATE)
                {
                    takeSnapshots();
                }
            };
        }

        private void publish(final int rank)
        {
            final List<KvEvent> changes = blocks.takeChanges(rank);
            if (!changes.isEmpty())
            {
                logs.get(rank).append(1, changes);
                apply(early[rank], logs.get(rank).from(logs.get(rank).last(), 1));
            }
        }

        private static void apply(final CacheSubscriber subscriber, final List<KvBatch> batches)
        {
            for (final KvBatch batch : batches)
            {
                try
                {
                    subscriber.apply(batch.payload(KvEventConfig.Form.MAP));
                }
                catch (final IOException e)
                {
                    throw new UncheckedIOException(e);
                }
            }
        }

        /** These subscribers come late, and read two batches again that their snapshot includes. */
        private void takeSnapshots()
        {
            for (int rank = 0; rank < late.length; rank++)
            {
                lateNext[rank] = Math.max(0, logs.get(rank).last() - 1);
                for (final CachedBlock block : blocks.blocks(rank))
                {
                    late[rank].store(new long[] {block.hash()}, block.parentHash(), block.tokens());
                }
            }
        }

        /** What prefix matches of the rank find, as the events say that the engine registered it. */
        private TreeSet<Long> indexed(final int rank)
        {
            final BlockStates states = state.rank(rank).blocks();
            final TreeSet<Long> hashes = new TreeSet<>();
            for (int block = 0; block < states.count(); block++)
            {
                if (states.hash(block) != BlockStates.NO_HASH)
                {
                    hashes.add(states.hash(block));
                }
            }
            return hashes;
        }

        private void compareAll()
        {
            assertTrue(events.isSound());
            for (int rank = 0; rank < late.length && groups >= LATE; rank++)
            {
                apply(late[rank], logs.get(rank).from(lateNext[rank], Integer.MAX_VALUE));
                assertEquals(indexed(rank), late[rank].hashes(), "the late subscriber of rank " + rank);
            }
        }
    }

    @Property
    @Tries(reduced = 120, full = 3_000)
    void subscribersKnowThePrefixIndexes(@ForAll final SchedulerConfig pool, @ForAll final HarnessPlay play)
    {
        // With a digest in each group, the fold compares itself with the scheduler's prefix indexes.
        final SchedulerConfig config = pool.toBuilder().prefixCaching(true).evictionPolicy(EvictionPolicy.LRU)
            .digestInterval(1).build();
        final Followed followed = new Followed(config);
        try (EngineHarness engine = EngineHarness.of(config, followed.listener()))
        {
            engine.play(play);
            followed.compareAll();
        }
    }
}
