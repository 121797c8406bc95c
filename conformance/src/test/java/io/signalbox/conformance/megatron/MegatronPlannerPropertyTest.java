// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Random loads on random small pools, which pause, evict and resume all the time. */
class MegatronPlannerPropertyTest
{
    private static final int MOST_STEPS = 5000;
    private static final int MOST_REQUESTS = 16;

    /** A number decides on all of a request, and on the steps before the next one. */
    @Property(tries = 1000)
    void everyRequestEndsWithItsRowsOrThePlannerSaysThatItIsStalled(
        @ForAll final long configuration, @ForAll @Size(min = 1, max = MOST_REQUESTS) final List<Long> requests)
    {
        run(configuration, requests);
        for (int i = 1; i < ("full".equals(System.getProperty("signalbox.tests")) ? 100 : 1); i++)
        {
            run(configuration + i, requests(configuration + i));
        }
    }

    private static List<Long> requests(final long seed)
    {
        final Random random = new Random(~seed);
        return random.longs(1 + random.nextInt(MOST_REQUESTS)).boxed().toList();
    }

    /** The property says little about what its loads do not reach. */
    @Test
    void shouldReachWhatTheProfileIsAbout()
    {
        final Reached all = new Reached();
        for (int seed = 0; seed < 1000; seed++)
        {
            final Reached reached = run(seed, requests(seed));
            all.evicted += reached.evicted;
            all.severalEvicted += reached.severalEvicted;
            all.paused += reached.paused;
            all.rewound += reached.rewound;
            all.putAside += reached.putAside;
            all.hiddenChunks += reached.hiddenChunks;
            all.stalled += reached.stalled;
            all.resumedSegments += reached.resumedSegments;
        }
        assertTrue(all.evicted > 100 && all.severalEvicted > 5 && all.paused > 100 && all.rewound > 100 &&
            all.putAside > 100 && all.hiddenChunks > 100 && all.stalled > 10 && all.resumedSegments > 100,
            all.toString());
    }

    /** The events of one run. */
    private static final class Reached
    {
        private int evicted;
        private int severalEvicted;
        private int paused;
        private int rewound;
        private long putAside;
        private int hiddenChunks;
        private int stalled;
        private int resumedSegments;

        void note(final MegatronPlanner planner)
        {
            evicted += planner.evictedCount();
            severalEvicted += planner.evictedCount() > 1 ? 1 : 0;
            paused += planner.rows().pausedRequests();
            rewound += planner.rewoundCount();
            putAside = planner.coordinationWaits();
            hiddenChunks += planner.rows().isChunkedPrefillHidden() ? 1 : 0;
            for (int i = 0; i < planner.finishedCount(); i++)
            {
                resumedSegments += planner.finished(i).segments() - 1;
            }
        }

        @Override
        public String toString()
        {
            return "evicted " + evicted + ", several at once " + severalEvicted + ", paused " + paused + ", rewound " +
                rewound + ", put aside " + putAside + ", hidden chunks " + hiddenChunks + ", stalled " + stalled +
                ", resumed and ended " + resumedSegments;
        }
    }

    private static Reached run(final long configuration, final List<Long> numbers)
    {
        final Reached reached = new Reached();
        final Random random = new Random(configuration);
        final PagingConfig config = config(random);
        final PlannerRun run = new PlannerRun(config, random.nextLong());
        final int requests = numbers.size();
        int submitted = 0;
        int next = 0;
        for (int step = 0; step < MOST_STEPS && run.ended().size() < requests; step++)
        {
            while (submitted < requests && step >= next)
            {
                final Random request = new Random(numbers.get(submitted));
                submit(run, submitted++, request);
                next = step + request.nextInt(5);
            }
            final StepLayout layout = run.planner.schedule();
            checkLayout(run);
            checkBlocks(run);
            if (layout.tokenCount() > 0)
            {
                assertFalse(run.planner.isStalled(), "stalled with tokens to compute");
                run.complete(-1);
                checkBlocks(run);
                reached.note(run.planner);
                run.recycle();
            }
            else if (run.planner.isStalled())
            {
                checkStall(run);
                reached.stalled = 1;
                return reached;
            }
        }
        assertEquals(requests, run.ended().size(), "requests that ended");
        assertEquals(requests, new TreeSet<>(run.ended()).size(), "requests that ended once");
        assertEquals(0, run.planner.allocator().owned());
        return reached;
    }

    private static PagingConfig config(final Random random)
    {
        final int blockSize = 1 << (1 + random.nextInt(3));
        final int drafts = random.nextInt(Math.min(3, blockSize));
        final int pool = 3 + random.nextInt(24);
        final KvBlockConfig plain = KvBlockConfig.of(pool).withPausedLimit(random.nextInt(pool - 1));
        final KvBlockConfig blocks = switch (random.nextInt(3))
        {
            case 0 -> plain;
            case 1 -> plain.withPrefixCaching(EvictionPolicy.REF_ZERO);
            default -> plain.withPrefixCaching(EvictionPolicy.LRU);
        };
        // A token budget below what all rows decode in one step, so that rows are paused for the budget's sake as well.
        final int tokens = 2 + drafts + random.nextInt(40);
        return new PagingConfig(blocks, blockSize, 1 + random.nextInt(8), tokens, drafts, random.nextBoolean());
    }

    /** Few different prompts, so that prefixes are shared; none that the pool could never hold. */
    private static void submit(final PlannerRun run, final int id, final Random random)
    {
        final PagingConfig config = run.config;
        final int room = (config.blocks().poolSize() - 1) * config.blockSizeTokens() - config.draftTokens();
        final int most = config.chunkedPrefill() ? room - 1 : Math.min(room - 1, config.maxTokens());
        final boolean isCommon = most > config.blockSizeTokens() && random.nextInt(3) == 0;
        final int length = isCommon ? config.blockSizeTokens() : 1 + random.nextInt(Math.min(most, 30));
        final int generate = 1 + random.nextInt(Math.min(room - length, 20));
        final int branch = isCommon ? length : random.nextInt(length + 1);
        final int family = isCommon ? 0 : random.nextInt(3);
        final int[] prompt = new int[length];
        for (int i = 0; i < length; i++)
        {
            prompt[i] = i < branch ? 100 * family + i : random.nextInt(5000);
        }
        run.submit(id, prompt, generate);
    }

    private static void checkLayout(final PlannerRun run)
    {
        final StepLayout layout = run.planner.layout();
        int token = 0;
        for (int row = 0; row < layout.activeRows(); row++)
        {
            assertEquals(token, layout.firstToken(row));
            assertTrue(layout.queryTokens(row) > 0, "an active row feeds nothing");
            for (int i = 0; i < layout.queryTokens(row); i++, token++)
            {
                final int position = layout.kvOffset(row) + i;
                assertEquals(layout.request(row).block(position / run.config.blockSizeTokens()), layout.tokenBlock(token));
                assertEquals(position % run.config.blockSizeTokens(), layout.tokenOffset(token));
            }
        }
        assertEquals(token, layout.tokenCount());
        // A prompt in chunks takes what is left; without one, rows beyond the budget are paused.
        assertTrue(run.config.chunkedPrefill() || token <= run.config.maxTokens(), token + " tokens");
    }

    /** Free, cached and owned blocks are all there are; a block has as many references as tables name it. */
    private static void checkBlocks(final PlannerRun run)
    {
        final KvBlockPool allocator = run.planner.allocator();
        final RequestRowTable rows = run.planner.rows();
        final TreeMap<Integer, Integer> references = new TreeMap<>();
        for (int row = 0; row < rows.totalRequests(); row++)
        {
            count(rows.request(row), references);
        }
        if (rows.isChunkedPrefillHidden() && rows.chunkedPrefill() != null)
        {
            count(rows.chunkedPrefill(), references);
        }
        assertEquals(references.size(), allocator.owned(), "owned blocks");
        assertEquals(run.config.blocks().poolSize() - 1,
            allocator.totalAvailable() + allocator.evictableCount() + references.size(), "blocks");
        references.forEach((block, count) ->
        {
            assertEquals(count, allocator.refCount(block), "references of block " + block);
            assertTrue(count == 1 || allocator.blockHash(block) != KvBlockAllocator.NO_HASH,
                "block " + block + " has " + count + " owners and no hash");
        });
    }

    private static void count(final PagedRequest request, final TreeMap<Integer, Integer> references)
    {
        for (int i = 0; i < request.blockCount(); i++)
        {
            references.merge(request.block(i), 1, Integer::sum);
        }
    }

    /** The same again, and again nothing: no later step would have helped. */
    private static void checkStall(final PlannerRun run)
    {
        final long waits = run.planner.coordinationWaits();
        for (int i = 0; i < 3; i++)
        {
            assertEquals(0, run.planner.schedule().tokenCount());
            assertTrue(run.planner.isStalled());
        }
        assertEquals(waits, run.planner.coordinationWaits());
    }
}
