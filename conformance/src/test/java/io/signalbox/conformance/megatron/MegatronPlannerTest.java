// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.ConfigException;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockConfig;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MegatronPlannerTest
{
    private static int[] prompt(final int first, final int length)
    {
        return IntStream.range(first, first + length).toArray();
    }

    private static int[] blocks(final PagedRequest request)
    {
        return IntStream.range(0, request.blockCount()).map(request::block).toArray();
    }

    private static int[] tokenBlocks(final StepLayout layout)
    {
        return IntStream.range(0, layout.tokenCount()).map(layout::tokenBlock).toArray();
    }

    /**
     * The first defect of the original: a block of a request that ends is handed out in the same update, to a row that
     * crosses a block boundary, and with it goes the routing of the ended request. {@link PlannerRun} checks the rows.
     */
    @Test
    void shouldKeepRowsOfARequestWhoseBlockIsHandedOutInTheUpdateThatEndsIt()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(8), 4, 4, 64, 0, false));
        run.submit(0, prompt(100, 3), 2);
        final PagedRequest crossing = run.submit(1, prompt(200, 3), 8);
        run.step();
        run.step();
        final PagedRequest ended = run.planner.finished(0);
        assertEquals(0, ended.id());
        assertEquals(ended.block(0), crossing.block(1), "handed out in the same update");
        run.step();
        run.step();
        assertEquals(List.of(0L), run.ended());
        for (int position = 0; position < 4; position++)
        {
            assertNotNull(ended.row(position, 4), "a row is lost before the request is recycled");
        }
    }

    /** The second defect of the original: with draft tokens, an eviction left a survivor the block of another row. */
    @Test
    void shouldMapDraftTokensByTheRowsOwnBlocksAfterAnEviction()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(7), 4, 4, 64, 2, false));
        for (int id = 0; id < 3; id++)
        {
            run.submit(id, prompt(100 * id, 5), 10);
        }
        boolean crossedAfterEviction = false;
        for (int step = 0; step < 40 && run.ended().size() < 3; step++)
        {
            final StepLayout layout = run.planner.schedule();
            for (int row = 0; row < layout.activeRows(); row++)
            {
                for (int i = 0; i < layout.queryTokens(row); i++)
                {
                    final int block = layout.request(row).block((layout.kvOffset(row) + i) / 4);
                    assertEquals(block, layout.tokenBlock(layout.firstToken(row) + i));
                }
                crossedAfterEviction |= run.planner.evictedCount() > 0 && layout.kvOffset(row) % 4 > 1;
            }
            run.complete(2);
            run.recycle();
        }
        assertTrue(crossedAfterEviction, "no row crossed a boundary behind an eviction");
        assertEquals(3, run.ended().size());
    }

    /**
     * The third defect, which this profile shares because the queue is the original's: the prompt of an evicted request
     * has outgrown the token budget. The planner says so instead of turning in silence.
     */
    @Test
    void shouldSayThatItIsStalledWhenAnEvictedRequestHasOutgrownTheTokenBudget()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(5), 4, 4, 8, 0, false));
        run.submit(0, prompt(100, 4), 12);
        run.submit(1, prompt(200, 4), 12);
        boolean evicted = false;
        while (run.step())
        {
            assertFalse(run.planner.isStalled());
            evicted |= run.planner.evictedCount() > 0;
        }
        assertTrue(evicted);
        assertTrue(run.planner.isStalled());
        assertEquals(1, run.ended().size());
        assertEquals(1, run.planner.waitingCount());
        final PlannerRun chunked = new PlannerRun(new PagingConfig(KvBlockConfig.of(5), 4, 4, 8, 0, true));
        chunked.submit(0, prompt(100, 4), 12);
        chunked.submit(1, prompt(200, 4), 12);
        while (chunked.step())
        {
            chunked.recycle();
        }
        assertFalse(chunked.planner.isStalled());
        assertEquals(2, chunked.ended().size());
    }

    /** The eighth defect: the rows of a request that was evicted and resumed. {@link PlannerRun} checks them. */
    @Test
    void shouldReturnRowsOfARequestThatWasEvictedAndResumed()
    {
        final KvBlockConfig blocks = KvBlockConfig.of(5).withPrefixCaching(EvictionPolicy.LRU);
        final PlannerRun run = new PlannerRun(new PagingConfig(blocks, 4, 4, 64, 0, false));
        run.submit(0, prompt(100, 6), 8);
        final PagedRequest evicted = run.submit(1, prompt(200, 6), 8);
        while (run.ended().size() < 2)
        {
            assertTrue(run.step());
        }
        assertEquals(2, evicted.segments());
        assertEquals(List.of(0L, 1L), run.ended());
    }

    @Test
    void shouldNotBeStalledWhileIdleOrBeforeItHasTried()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(5), 4, 4, 8, 0, false));
        assertFalse(run.step());
        assertFalse(run.planner.isStalled());
        run.submit(0, prompt(100, 4), 2);
        assertFalse(run.planner.isStalled());
    }

    /** 253 tokens of a block of 256, and three tokens a step: two of them fit the first block. */
    @Test
    void shouldSpreadTheTokensOfAStepOverABlockBoundary()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(8), 256, 4, 1024, 2, false));
        final PagedRequest request = run.submit(0, prompt(0, 254), 20);
        run.planner.schedule();
        final int first = request.block(0);
        run.complete(0);
        final StepLayout layout = run.planner.schedule();
        assertEquals(2, request.blockCount());
        assertArrayEquals(new int[]{first, first, request.block(1)}, tokenBlocks(layout));
        assertEquals(0, layout.tokenOffset(2));
        // Nothing accepted: the second block held rejected tokens only, and is taken back.
        run.complete(0);
        assertEquals(1, run.planner.rewoundCount());
    }

    @Test
    void shouldKeepDraftTokensOfAPausedRequest()
    {
        final PlannerRun run = new PlannerRun(
            new PagingConfig(KvBlockConfig.of(4).withPausedLimit(1), 4, 4, 64, 1, false));
        final PagedRequest paused = run.submit(0, prompt(100, 3), 4);
        run.submit(1, prompt(200, 5), 2);
        run.planner.schedule();
        run.complete(0);
        assertEquals(1, run.planner.rows().pausedRequests());
        final int draft = paused.draftTokens[0];
        run.planner.schedule();
        assertEquals(1, run.planner.layout().activeRows());
        run.complete(0);
        assertEquals(0, run.planner.rows().pausedRequests());
        final StepLayout layout = run.planner.schedule();
        assertEquals(paused, layout.request(0));
        assertEquals(draft, layout.tokenId(1));
        assertEquals(3, layout.kvOffset(0));
    }

    @Test
    void shouldAdmitInOrderAndStopAtTheFirstThatDoesNotFit()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(16), 4, 4, 10, 0, false));
        run.submit(0, prompt(100, 6), 2);
        run.submit(1, prompt(200, 6), 2);
        run.submit(2, prompt(300, 2), 2);
        run.planner.schedule();
        assertArrayEquals(new long[]{1, 2}, run.planner.waitingIds());
    }

    @Test
    void shouldAdmitNothingWhileARequestIsPaused()
    {
        final KvBlockConfig blocks = KvBlockConfig.of(4).withPausedLimit(1).withPrefixCaching(EvictionPolicy.LRU);
        final PlannerRun run = new PlannerRun(new PagingConfig(blocks, 4, 4, 64, 0, false));
        run.submit(0, prompt(100, 4), 4);
        run.submit(1, prompt(200, 5), 4);
        run.step();
        assertEquals(1, run.planner.rows().pausedRequests());
        // It would need no block.
        run.submit(2, prompt(100, 4), 1);
        run.planner.schedule();
        assertEquals(1, run.planner.layout().activeRows());
        assertEquals(1, run.planner.waitingCount());
    }

    /** As the original's queue has them: of those evicted together, the rightmost one comes first. */
    @Test
    void shouldPutEvictedRequestsInFrontOfTheQueue()
    {
        final KvBlockConfig blocks = KvBlockConfig.of(4).withPrefixCaching(EvictionPolicy.LRU);
        final PlannerRun run = new PlannerRun(new PagingConfig(blocks, 4, 8, 64, 0, false));
        run.submit(0, prompt(100, 4), 1);
        run.submit(1, prompt(200, 5), 6);
        run.step();
        run.submit(2, prompt(100, 4), 4);
        run.submit(3, prompt(100, 4), 4);
        run.submit(4, prompt(300, 9), 1);
        run.step();
        assertEquals(2, run.planner.evictedCount());
        // Pausing has put request 3 to the left of request 2.
        assertEquals(3, run.planner.evicted(0).id());
        assertArrayEquals(new long[]{2, 3, 4}, run.planner.waitingIds());
        assertEquals(5, run.planner.evicted(0).tokenCount());
    }

    @Test
    void shouldNeverLeaveOneTokenForTheLastChunk()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(16), 4, 4, 8, 0, true));
        run.submit(0, prompt(100, 9), 2);
        assertEquals(7, run.planner.schedule().tokenCount());
        run.complete(0);
        assertEquals(2, run.planner.schedule().tokenCount());
    }

    @Test
    void shouldPauseRowsBeyondTheTokenBudgetOfADecodeStep()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(16), 8, 8, 4, 1, false));
        for (int id = 0; id < 4; id++)
        {
            run.submit(id, prompt(100 * id, 1), 6);
        }
        run.step();
        assertEquals(2, run.planner.rows().activeRows());
        assertEquals(2, run.planner.rows().pausedRequests());
        while (run.ended().size() < 4)
        {
            assertTrue(run.step());
            run.recycle();
        }
    }

    @Test
    void shouldEndAtTheStopToken()
    {
        final MegatronPlanner planner =
            new MegatronPlanner(new PagingConfig(KvBlockConfig.of(16), 4, 4, 64, 0, false), null, null);
        planner.submit(5, prompt(0, 3), 3, null, 50, 42);
        planner.schedule();
        planner.update(new int[]{41}, null);
        assertEquals(0, planner.finishedCount());
        planner.schedule();
        planner.update(new int[]{42}, null);
        assertEquals(5, planner.finished(0).id());
        assertEquals(5, planner.finished(0).tokenCount());
        assertNull(planner.finished(0).row(0, 4));
    }

    @Test
    void shouldEndAtTheStopTokenWhereItIsSampledAndNotWhereItIsAnAcceptedDraft()
    {
        final MegatronPlanner planner =
            new MegatronPlanner(new PagingConfig(KvBlockConfig.of(16), 4, 4, 64, 1, false), null, null);
        planner.submit(5, prompt(0, 2), 2, null, 50, 42);
        planner.schedule();
        planner.verify(new int[1]);
        planner.update(new int[]{41}, new int[]{42});
        planner.schedule();
        planner.verify(new int[]{1});
        planner.update(new int[]{43}, new int[]{7});
        assertEquals(0, planner.finishedCount());
        assertEquals(42, planner.rows().request(0).token(3));
        planner.schedule();
        planner.verify(new int[]{0});
        planner.update(new int[]{42}, new int[]{7});
        assertEquals(6, planner.finished(0).tokenCount());
    }

    @Test
    void shouldNotTakeASampledTokenForTheMarkOfNoStopToken()
    {
        final MegatronPlanner planner =
            new MegatronPlanner(new PagingConfig(KvBlockConfig.of(16), 4, 4, 64, 0, false), null, null);
        planner.submit(5, prompt(0, 3), 3, null, 2, PagedRequest.NO_STOP_TOKEN);
        planner.schedule();
        planner.update(new int[]{PagedRequest.NO_STOP_TOKEN}, null);
        assertEquals(0, planner.finishedCount());
        planner.schedule();
        planner.update(new int[]{1}, null);
        assertEquals(5, planner.finished(0).tokenCount());
    }

    /** The first step leaves no block for the ninth token of the second request. */
    private static MegatronPlanner plannerThatEvicts(final PromptHasher hasher)
    {
        final KvBlockConfig blocks = KvBlockConfig.of(4).withPrefixCaching(EvictionPolicy.LRU);
        final MegatronPlanner planner =
            new MegatronPlanner(new PagingConfig(blocks, 4, 4, 64, 0, false), hasher, null);
        planner.submit(0, prompt(100, 3), 3, new long[0], 4, PagedRequest.NO_STOP_TOKEN);
        planner.submit(1, prompt(200, 8), 8, new long[]{7, 8}, 2, PagedRequest.NO_STOP_TOKEN);
        return planner;
    }

    @Test
    void shouldRefuseWhatAHasherGivesForAnEvictedRequestAndGoOnWithoutHashes()
    {
        final List<String> refusals = new ArrayList<>();
        final List<PromptHasher> hashers = List.of(
            (id, tokens, count, hashes) -> 1,
            (id, tokens, count, hashes) -> 3,
            (id, tokens, count, hashes) -> 2,
            (id, tokens, count, hashes) ->
            {
                hashes[0] = 5;
                hashes[1] = -5;
                return 2;
            });
        for (final PromptHasher hasher : hashers)
        {
            final MegatronPlanner planner = plannerThatEvicts(hasher);
            planner.schedule();
            refusals.add(refusal(() -> planner.update(new int[2], null)));
            assertEquals(1, planner.evictedCount());
            int ended = 0;
            while (planner.schedule().tokenCount() > 0)
            {
                planner.update(new int[2], null);
                ended += planner.finishedCount();
            }
            assertEquals(2, ended);
        }
        assertEquals(List.of(
            "the PromptHasher gave 1 block hashes for the 2 full blocks of evicted request 1; give one hash per full block.",
            "the PromptHasher gave 3 block hashes for the 2 full blocks of evicted request 1; give one hash per full block.",
            "request 1, hash 0 of block 0 is not between 1 and 2^63 - 1; use the hashes of a BlockHasher.",
            "request 1, hash -5 of block 1 is not between 1 and 2^63 - 1; use the hashes of a BlockHasher."), refusals);
    }

    @Test
    void shouldRefuseRequestsThatCouldNeverRun()
    {
        final MegatronPlanner planner =
            new MegatronPlanner(new PagingConfig(KvBlockConfig.of(5), 4, 4, 8, 0, false), null, null);
        final List<String> refusals = new ArrayList<>();
        refusals.add(refusal(() -> planner.submit(1, new int[0], 0, null, 1, PagedRequest.NO_STOP_TOKEN)));
        refusals.add(refusal(() -> planner.submit(2, prompt(0, 9), 9, null, 1, PagedRequest.NO_STOP_TOKEN)));
        refusals.add(refusal(() -> planner.submit(3, prompt(0, 8), 8, null, 10, PagedRequest.NO_STOP_TOKEN)));
        assertEquals(List.of(
            "request 1 has 0 prompt tokens and 1 tokens to generate; give at least 1 of each.",
            "request 2 has 9 prompt tokens, more than maxTokens=8; shorten it, raise maxTokens or use chunked prefill.",
            "request 3 may store 17 tokens, more than the pool's 4 blocks of 4 hold; shorten it or enlarge the pool."),
            refusals);
        assertEquals(0, planner.waitingCount());
    }

    @Test
    void shouldRefusePromptsWhoseHashesAreNoHashes()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(
            KvBlockConfig.of(5).withPrefixCaching(EvictionPolicy.LRU), 4, 4, 16, 0, false));
        final List<String> refusals = new ArrayList<>();
        for (final long[] hashes : new long[][]{null, {5}, {5, 0}, {-1, 5}})
        {
            refusals.add(refusal(() -> run.planner.submit(1, prompt(0, 8), 8, hashes, 1, PagedRequest.NO_STOP_TOKEN)));
        }
        assertEquals(List.of(
            "request 1 has 2 full blocks and no block hashes; give one hash per full block.",
            "request 1 has 2 full blocks and 1 block hashes; give one hash per full block.",
            "request 1, hash 0 of block 1 is not between 1 and 2^63 - 1; use the hashes of a BlockHasher.",
            "request 1, hash -1 of block 0 is not between 1 and 2^63 - 1; use the hashes of a BlockHasher."), refusals);
        assertEquals(0, run.planner.waitingCount());
    }

    @Test
    void shouldRefuseResultsOfHalfAStepAndGoOn()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(16), 4, 4, 64, 1, false));
        run.submit(0, prompt(0, 3), 3);
        run.submit(1, prompt(50, 3), 3);
        run.planner.schedule();
        assertEquals("accepted has 1 entries, but the step's active rows need 2; give the results of the whole step.",
            refusal(() -> run.planner.verify(new int[1])));
        run.planner.verify(new int[2]);
        assertEquals("drafts has no entries, but the step's active rows need 2; give the results of the whole step.",
            refusal(() -> run.planner.update(new int[2], null)));
        run.planner.update(new int[2], new int[2]);
        assertEquals(2, run.planner.rows().activeRows());
    }

    @Test
    void shouldRefuseToRecycleARequestTwiceOrBeforeItsEnd()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(16), 4, 4, 64, 0, false));
        final PagedRequest request = run.submit(0, prompt(0, 3), 2);
        run.step();
        assertThrows(IllegalStateException.class, () -> run.planner.recycle(request));
        run.step();
        run.planner.recycle(request);
        assertThrows(IllegalStateException.class, () -> run.planner.recycle(request));
    }

    private static String refusal(final Runnable call)
    {
        return assertThrows(ConfigException.class, call::run).getMessage();
    }

    @Test
    void shouldRefuseMoreDraftTokensThanOneBlockTakes()
    {
        assertThrows(ConfigException.class, () -> new PagingConfig(KvBlockConfig.of(5), 2, 4, 8, 2, false));
        assertThrows(ConfigException.class, () -> new PagingConfig(KvBlockConfig.of(5), 0, 4, 8, 0, false));
        assertThrows(ConfigException.class, () -> new PagingConfig(KvBlockConfig.of(5), 2, 0, 8, 0, false));
        assertThrows(ConfigException.class, () -> new PagingConfig(KvBlockConfig.of(5), 2, 4, 0, 0, false));
    }

    @Test
    void shouldRefuseCallsOutOfTurn()
    {
        final PlannerRun run = new PlannerRun(new PagingConfig(KvBlockConfig.of(16), 4, 4, 64, 1, false));
        run.submit(0, prompt(0, 3), 3);
        assertThrows(IllegalStateException.class, () -> run.planner.update(new int[1], new int[1]));
        run.planner.schedule();
        assertThrows(IllegalStateException.class, run.planner::schedule);
        assertThrows(IllegalStateException.class, () -> run.planner.update(new int[1], new int[1]));
        run.planner.verify(new int[1]);
        run.planner.update(new int[1], new int[1]);
        run.planner.schedule();
        final ConfigException refused = assertThrows(ConfigException.class, () -> run.planner.verify(new int[]{2}));
        assertEquals("accepted[0]=2 of request 0 is not between 0 and draftTokens=1.", refused.getMessage());
    }
}
