// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockConfig;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The routed-expert rows of a {@link MegatronPlanner}. */
class MegatronRoutedExpertsTest
{
    private static final int[] PROMPT = {0, 1, 2, 3};

    /**
     * A request is evicted when its known tokens end with a block, whose last token was sampled and never fed. That block,
     * full by then, is another's when the request is resumed. {@link PlannerRun} checks the rows.
     */
    @Test
    void shouldComputeTheRowThatAnEvictionLeftOutWhenResumedOnABlockOfAnother()
    {
        final KvBlockConfig blocks = KvBlockConfig.of(5).withPausedLimit(0).withPrefixCaching(EvictionPolicy.LRU);
        final PlannerRun run = new PlannerRun(new PagingConfig(blocks, 4, 2, 64, 2, false));
        run.submit(0, PROMPT, 6);
        run.submit(1, PROMPT, 6);
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
    void shouldStoreNothingOfAStepWhoseRowsAreNotAllThere()
    {
        final MegatronPlanner planner = new MegatronPlanner(
            new PagingConfig(KvBlockConfig.of(5), 4, 2, 64, 0, false), null, new ModelShape(1, 200, 1));
        final PagedRequest first = planner.submit(0, PROMPT, 4, null, 1, PagedRequest.NO_STOP_TOKEN);
        final PagedRequest second = planner.submit(1, PROMPT, 3, null, 1, PagedRequest.NO_STOP_TOKEN);
        planner.schedule();
        assertEquals(List.of(
            "the step has 7 tokens, but 6 routed-expert rows were given; give the rows of the whole step.",
            "the step has 7 tokens, but 0 routed-expert rows were given; give the rows of the whole step.",
            "the routed-expert row of token 1 has 2 ids, not 1; give one id per MoE layer and place."),
            List.of(refusal(planner, new int[6][1]), refusal(planner, null),
                refusal(planner, new int[][]{{90}, {91, 92}, {93}, {94}, {95}, {96}, {97}})));
        assertNull(first.row(0, 4), "a row was stored");
        planner.storeRows(new int[][]{{10}, {11}, {12}, {13}, {14}, {15}, {16}});
        planner.update(new int[2], null);
        assertArrayEquals(new int[]{13}, first.row(3, 4));
        assertArrayEquals(new int[]{14}, second.row(0, 4));
        assertNull(second.row(3, 4));
    }

    private static String refusal(final MegatronPlanner planner, final int[][] rows)
    {
        return assertThrows(ConfigException.class, () -> planner.storeRows(rows)).getMessage();
    }
}
