// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Rows that were missing when a page was shared stay missing: a request that has ended has counted them. */
class SharedRowsTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);

    private final RoutedExpertPages pages = new RoutedExpertPages(SHAPE, 4);
    private final BlockPages blocks = new BlockPages(pages, 8);
    private final UnsafeBuffer source = new UnsafeBuffer(new byte[4 * SHAPE.rowBytes()]);

    @Test
    void shouldNotFillRowsThatAnotherRequestHasInheritedAsMissing()
    {
        final RequestRows first = new RequestRows(pages);
        first.allocated(0, 1, blocks, 0, 0);
        pages.store(first.page(0), 0, 2, source, 0);
        final RequestRows second = new RequestRows(pages);
        second.matched(0, 1, blocks, 0, false);
        final int inherited = second.inheritedRows(4);
        final long digest = second.digest();
        assertEquals(2, inherited);

        first.allocated(0, 2, blocks, 0, 0);
        assertEquals(0, pages.store(first.page(0), 0, 4, source, 0), "what is missing is missing for good");

        assertEquals(inherited, second.inheritedRows(4));
        assertEquals(digest, second.digest());
        assertEquals(RoutedExpertPages.MISSING, second.copy(0, 4).expert(2, 0, 0));
        assertEquals(2, first.capturedRows(4));
        assertEquals(pages.recomputeDigest(), pages.digest());
    }
}
