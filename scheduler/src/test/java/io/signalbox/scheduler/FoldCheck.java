// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.BatchPlanner;
import io.signalbox.batch.QueueOrder;
import io.signalbox.batch.Request;
import io.signalbox.batch.RequestQueue;
import io.signalbox.event.GroupWriter;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.state.BlockStates;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RankState;
import io.signalbox.state.RequestLine;
import io.signalbox.state.RequestState;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.StateCodec;
import io.signalbox.state.StateFold;
import io.signalbox.state.StateShape;
import org.agrona.ExpandableArrayBuffer;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Folds the events of a scheduler and compares the folded state with the scheduler's own behind every group: requests, their
 * order and block tables, each KV block, steps in flight, generations. Every few groups the fold continues from a copy that
 * went through its bytes.
 */
final class FoldCheck
{
    private static final int COPIED_EVERY = 5;
    private static final Map<String, Field> FIELDS = new ConcurrentHashMap<>();

    private final Scheduler scheduler;
    private final SchedulerConfig config;
    private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer();
    private final List<Integer> used = new ArrayList<>();
    private FoldedState state;
    private RunFold fold;
    /** By rank, the blocks that live requests hold, as the fold says. */
    private final int[] blocksInUse;
    private int groups;

    FoldCheck(final SchedulerConfig config, final Scheduler scheduler)
    {
        this.config = config;
        this.scheduler = scheduler;
        blocksInUse = new int[config.ranks()];
        begin(new FoldedState(shape(config)));
    }

    private void begin(final FoldedState from)
    {
        state = from;
        Arrays.fill(blocksInUse, 0);
        fold = RunFold.of(new StateFold(state), new RunListener()
        {
            @Override
            public void onBlocksInUse(final int rank, final int blocks, final int change)
            {
                blocksInUse[rank] += change;
                assertEquals(blocksInUse[rank], blocks, "changes of the blocks in use");
            }
        }).behind(state);
    }

    static StateShape shape(final SchedulerConfig config)
    {
        return new StateShape(config.ranks(), config.kvBlocks(), config.blockSizeTokens(),
            config.prefixCaching() && config.evictionPolicy() == EvictionPolicy.LRU,
            config.get(BatchSettings.QUEUE_ORDER) == QueueOrder.FIRST_COME, config.capture() != null);
    }

    FoldedState state()
    {
        return state;
    }

    void onGroup(final GroupWriter group, final long nowNanos)
    {
        fold.onGroup(group.buffer(), 0, group.length(), nowNanos);
        if (++groups % COPIED_EVERY == 0)
        {
            copy();
        }
        checkRequests();
        checkQueue();
        checkLive();
        for (int rank = 0; rank < config.ranks(); rank++)
        {
            checkRank(rank);
        }
    }

    /** Continues from what the state's bytes mean, which must be the same bytes again. */
    private void copy()
    {
        final int length = StateCodec.encode(state, bytes, 0);
        final byte[] first = new byte[length];
        bytes.getBytes(0, first);
        begin(StateCodec.decode(shape(config), bytes, 0, length));
        final byte[] again = new byte[StateCodec.encode(state, bytes, 0)];
        bytes.getBytes(0, again);
        assertArrayEquals(first, again, "the bytes of a state that was read are those that were written");
    }

    private void checkRequests()
    {
        assertEquals(scheduler.liveRequests(), state.requestCount(), "requests");
        for (final RequestState folded : state.requests())
        {
            final Request request = scheduler.request(folded.id());
            assertNotNull(request, () -> "request " + folded.id());
            assertEquals(request.stage().name(), folded.stage().name(), () -> "stage of request " + folded.id());
            assertEquals(request.promptTokens(), folded.promptTokens());
            assertEquals(request.generatedTokens(), folded.generatedTokens(), () -> "tokens of request " + folded.id());
            assertTrue(request.isCancelled() || !folded.isCancelled(),
                () -> "request " + folded.id() + " was not cancelled");
            assertTrue(folded.isCancelled() || !request.isCancelled() || request.isExpired(),
                () -> "request " + folded.id() + " was cancelled");
            if (request.stage() != Request.Stage.FINISHED)
            {
                checkStay(request, folded);
            }
        }
    }

    private void checkLive()
    {
        final List<Set<Integer>> held = new ArrayList<>();
        for (int rank = 0; rank < blocksInUse.length; rank++)
        {
            held.add(new HashSet<>());
        }
        int live = 0;
        for (final RequestState known : state.requests())
        {
            live += known.stage() == RequestState.Stage.FINISHED ? 0 : 1;
        }
        assertEquals(live, fold.live().size(), "live requests");
        for (final RunRequest folded : fold.live())
        {
            final Request request = scheduler.request(folded.id());
            final String what = "request " + folded.id();
            assertEquals(request.stage() == Request.Stage.RUNNING, folded.isRunning(), () -> what + " runs");
            assertEquals(request.generatedTokens(), folded.tokens(), () -> what + ", tokens");
            assertEquals(number(request, "paused"), folded.isPaused() ? 1 : 0, () -> what + ", paused");
            for (int i = 0; i < request.blockCount(); i++)
            {
                held.get(folded.admittedRank()).add(request.blockId(i));
            }
        }
        for (int rank = 0; rank < blocksInUse.length; rank++)
        {
            assertEquals(held.get(rank).size(), blocksInUse[rank], "blocks in use");
        }
    }

    private void checkStay(final Request request, final RequestState folded)
    {
        final String what = "request " + folded.id();
        assertEquals(request.rank(), folded.rank(), what);
        assertEquals(number(request, "computedTokens"), folded.computedTokens(), what + ", computed tokens");
        assertEquals(number(request, "preemptions"), folded.preemptions(), what + ", preemptions");
        assertEquals(number(request, "paused"), folded.isPaused() ? 1 : 0, what + ", paused");
        final List<Integer> table = new ArrayList<>();
        for (int i = 0; i < request.blockCount(); i++)
        {
            table.add(request.blockId(i));
        }
        final List<Integer> foldedTable = new ArrayList<>();
        for (int i = 0; i < folded.blockCount(); i++)
        {
            foldedTable.add(folded.block(i));
        }
        assertEquals(table, foldedTable, what + ", block table");
    }

    private void checkRank(final int index)
    {
        final RankState folded = state.rank(index);
        final DpRank rank = ((DpRank[])field(scheduler, "ranks"))[index];
        final BatchPlanner planner = rank.planner;
        assertEquals(ids((RequestQueue)field(planner, "running")), ids(folded.running()), "running requests, in order");
        assertEquals(ids((RequestQueue)field(planner, "waiting")), ids(folded.waiting()), "waiting requests, in order");
        assertEquals(rank.epoch(), folded.epoch(), "epoch");
        assertEquals(((Enum<?>)field(rank, "stage")).name(), folded.stage().name(), "stage of rank " + index);
        assertEquals(rank.nextStep() - 1, folded.newestStep(), "newest step");
        assertEquals(rank.blocks.weightGeneration(), state.weightGeneration(), "weights");
        final List<Long> open = new ArrayList<>();
        for (int i = 0; i < rank.open.size(); i++)
        {
            open.add(rank.open.at(i).step());
        }
        assertEquals(open, folded.open().stream().map(step -> step.step()).toList(), "steps in flight");
        checkBlocks(scheduler.blocks(index).allocator(), folded.blocks());
    }

    private void checkBlocks(final KvBlockAllocator pool, final BlockStates folded)
    {
        used.clear();
        for (int block = 0; block < folded.count(); block++)
        {
            if (pool.refCount(block) != folded.owners(block) || pool.issue(block) != folded.issue(block) ||
                pool.blockHash(block) != folded.hash(block))
            {
                throw new AssertionError("block " + block + " has " + folded.owners(block) + " owners, issue " +
                    folded.issue(block) + " and hash " + folded.hash(block) + ", not " + pool.refCount(block) + ", " +
                    pool.issue(block) + " and " + pool.blockHash(block));
            }
            if (folded.owners(block) > 0 || folded.isCached(block))
            {
                used.add(block);
            }
        }
        assertEquals(pool.owned(), folded.owned(), "owned blocks");
        assertEquals(pool.totalAvailable(), folded.free(), "free blocks");
        assertEquals(pool.prefixIndexDigest(), folded.prefixIndexDigest(), "digest of the prefix index");
        used.sort(Comparator.comparingLong(pool::timestamp));
        for (int i = 1; i < used.size(); i++)
        {
            final int before = used.get(i - 1);
            final int block = used.get(i);
            if (Long.compare(pool.timestamp(before), pool.timestamp(block)) !=
                Long.compare(folded.lastUse(before), folded.lastUse(block)))
            {
                throw new AssertionError("order of the last uses of blocks " + before + " and " + block);
            }
        }
    }

    /** The requests that wait for a rank, in the order in which they leave; only if that is the order of their arrival. */
    private void checkQueue()
    {
        if (state.shape().inOrder())
        {
            assertEquals(
                ids((RequestQueue)field(field(scheduler, "queue"), "requests")), ids(state.queue()), "queue");
        }
        assertTrue(state.queue().size() <= state.requestCount());
    }

    private static List<Long> ids(final RequestQueue requests)
    {
        final List<Long> ids = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++)
        {
            ids.add(requests.get(i).id());
        }
        return ids;
    }

    private static List<Long> ids(final RequestLine requests)
    {
        final List<Long> ids = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++)
        {
            ids.add(requests.get(i).id());
        }
        return ids;
    }

    private static long number(final Object owner, final String name)
    {
        final Object value = field(owner, name);
        return value instanceof Boolean ? (Boolean)value ? 1 : 0 : ((Number)value).longValue();
    }

    /** A private field of the scheduler or of one of its parts. */
    private static Object field(final Object owner, final String name)
    {
        try
        {
            return FIELDS.computeIfAbsent(owner.getClass().getName() + "." + name, key -> find(owner.getClass(), name))
                .get(owner);
        }
        catch (final IllegalAccessException e)
        {
            throw new AssertionError(e);
        }
    }

    private static Field find(final Class<?> owner, final String name)
    {
        for (Class<?> type = owner; type != null; type = type.getSuperclass())
        {
            for (final Field field : type.getDeclaredFields())
            {
                if (field.getName().equals(name))
                {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new AssertionError(owner + " has no field " + name);
    }
}
