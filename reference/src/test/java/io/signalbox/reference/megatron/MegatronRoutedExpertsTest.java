// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference.megatron;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RowPolicy;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The routed-expert rows of a {@link MegatronPlanner}. */
class MegatronRoutedExpertsTest
{
    private static final int[] PROMPT = {0, 1, 2, 3};

    private static PlannerRun twoOfOnePromptInAPoolForOneAndAHalf(final RowPolicy policy)
    {
        final KvBlockConfig blocks = KvBlockConfig.of(5).withPausedLimit(0).withPrefixCaching(EvictionPolicy.LRU);
        final PlannerRun run = new PlannerRun(new PagingConfig(blocks, 4, 2, 64, 2, false), policy, 1);
        run.submit(0, PROMPT, 6);
        run.submit(1, PROMPT, 6);
        return run;
    }

    /**
     * A request is evicted when what it knows ends with a block, of which the last token was sampled and never fed. That
     * block, full by then, is another's when the request is resumed: its own page lacks the last row, the other's does
     * not. {@link PlannerRun} checks the rows.
     */
    @ParameterizedTest
    @EnumSource
    void shouldComputeTheRowThatAnEvictionLeftOutWhenResumedOnABlockOfAnother(final RowPolicy policy)
    {
        final PlannerRun run = twoOfOnePromptInAPoolForOneAndAHalf(policy);
        PagedRequest evicted = null;
        boolean matchedBoth = false;
        while (run.ended().size() < 2)
        {
            assertTrue(run.planner.schedule().tokenCount() > 0);
            run.complete(0);
            for (int i = 0; i < run.planner.evictedCount(); i++)
            {
                evicted = run.planner.evicted(i);
                assertEquals(8, evicted.tokenCount(), "tokens at the end of a block");
            }
            matchedBoth |= evicted != null && evicted.cachedTokens() == 8;
            run.recycle();
        }
        assertEquals(List.of(0L, 1L), run.ended());
        assertTrue(matchedBoth, "resumed on blocks of its own");
    }

    @Test
    void shouldRefusePagesOfAnotherBlockSize()
    {
        final PagingConfig config = new PagingConfig(KvBlockConfig.of(5), 4, 2, 64, 0, false);
        final RoutedExpertPages pages = new RoutedExpertPages(new ModelShape(1, 200, 1), 8);
        assertEquals(
            "pages of 8 rows do not fit blockSizeTokens=4; give pages of one row per token of a block.",
            assertThrows(ConfigException.class, () -> new MegatronPlanner(config, null, pages)).getMessage());
    }

    @Test
    void shouldStoreNothingOfAStepWhoseRowsAreNotAllThere()
    {
        final RoutedExpertPages pages = new RoutedExpertPages(new ModelShape(1, 200, 1), 4);
        final MegatronPlanner planner =
            new MegatronPlanner(new PagingConfig(KvBlockConfig.of(5), 4, 2, 64, 0, false), null, pages);
        final PagedRequest first = planner.submit(0, PROMPT, 4, null, 1, PagedRequest.NO_STOP_TOKEN);
        final PagedRequest second = planner.submit(1, PROMPT, 3, null, 1, PagedRequest.NO_STOP_TOKEN);
        planner.schedule();
        final UnsafeBuffer tooShort = new UnsafeBuffer(new byte[]{90, 91, 92, 93, 94, 95});
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[]{99, 10, 11, 12, 13, 14, 15, 16});
        assertEquals(List.of(
            "the routed-expert rows of the step's 7 tokens take 7 bytes, but the buffer of 6 bytes has fewer from " +
                "offset 0; give the rows of the whole step.",
            "the routed-expert rows of the step's 7 tokens take 7 bytes, but the buffer of 8 bytes has fewer from " +
                "offset 2; give the rows of the whole step.",
            "the routed-expert rows of the step's 7 tokens take 7 bytes, but the buffer of 8 bytes has fewer from " +
                "offset -1; give the rows of the whole step.",
            "the routed-expert rows of the step's 7 tokens take 7 bytes, but the buffer of 0 bytes has fewer from " +
                "offset 0; give the rows of the whole step."),
            List.of(refusal(planner, tooShort, 0), refusal(planner, rows, 2), refusal(planner, rows, -1),
                refusal(planner, null, 0)));
        assertEquals(0, pages.digest(), "nothing was stored");
        planner.storeRows(rows, 1);
        assertNotEquals(0, pages.digest());
        planner.update(new int[2], null);
        assertArrayEquals(new short[]{10, 11, 12, 13}, first.rows().copy(0, 4).ids());
        assertArrayEquals(new short[]{14, 15, 16}, second.rows().copy(0, 3).ids());
    }

    private static String refusal(final MegatronPlanner planner, final DirectBuffer rows, final int offset)
    {
        return assertThrows(ConfigException.class, () -> planner.storeRows(rows, offset)).getMessage();
    }
}
