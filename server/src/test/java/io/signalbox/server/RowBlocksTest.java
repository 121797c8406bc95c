// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.experts.BlockPages;
import io.signalbox.experts.CapturedRows;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RoutedExperts;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The rows that are kept for questions about blocks. */
class RowBlocksTest
{
    private static final int BLOCK_TOKENS = 2;
    private static final long MOST_BYTES = 100_000;
    private static final ModelShape SHAPE = new ModelShape(1, 4, 1);

    /** Rows from position 0 on, of which those of some offsets were captured. */
    private static RoutedExperts rows(final int count, final int... captured)
    {
        final RoutedExpertPages pages = new RoutedExpertPages(SHAPE, count);
        final BlockPages blocks = new BlockPages(pages, 4);
        final RequestRows request = new RequestRows(pages);
        request.allocated(0, 1, blocks, 0, 0);
        blocks.storeRoutingPerBlock(IntStream.of(captured).map(row -> 1).toArray(), captured, captured.length,
            new CapturedRows().wrap(
                new UnsafeBuffer(new byte[2 * captured.length]), 0, captured.length, ExpertIdType.INT16));
        return request.copy(0, count);
    }

    /** A small answer costs the maps and objects that name its blocks, and not its rows alone. */
    @Test
    void shouldCountWhatAnAnswerCosts()
    {
        final RowBlocks kept = new RowBlocks(MOST_BYTES, BLOCK_TOKENS);
        final RoutedExperts rows = rows(BLOCK_TOKENS, 0, 1);
        LongStream.range(0, 10_000).forEach(hash -> kept.keep(rows, new long[] {hash}));
        final long found = LongStream.range(0, 10_000).filter(hash -> kept.find(hash) != null).count();
        assertTrue(found > 100 && found < MOST_BYTES / 300, found + " blocks in " + MOST_BYTES + " bytes");
        assertNotNull(kept.find(9_999), "the last one");
    }

    @Test
    void shouldKeepOnlyBlocksThatHaveAllTheirRows()
    {
        final RowBlocks kept = new RowBlocks(MOST_BYTES, BLOCK_TOKENS);
        kept.keep(rows(5, 0, 1, 3, 4), new long[] {7, 8});
        assertEquals(0, kept.find(7).first());
        assertNull(kept.find(8), "its first row is missing");
    }

    /** An answer without a whole block answers no question, so it takes no room from others. */
    @Test
    void shouldKeepNoAnswerWithoutAWholeBlock()
    {
        final RowBlocks kept = new RowBlocks(MOST_BYTES, BLOCK_TOKENS);
        kept.keep(rows(BLOCK_TOKENS, 0, 1), new long[] {7});
        for (int i = 0; i < 10_000; i++)
        {
            kept.keep(rows(100, 1, 3), new long[] {100 + i});
        }
        assertNotNull(kept.find(7));
    }
}
