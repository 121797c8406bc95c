// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import java.util.Arrays;

/**
 * Which page of routed experts each KV block of one rank holds. Release, caching and eviction leave the page with its
 * block; handing the block out again detaches it.
 */
public final class BlockPages
{
    private final RoutedExpertPages pages;
    private final int[] pageOfBlock;

    public BlockPages(final RoutedExpertPages pages, final int blockCount)
    {
        this.pages = pages;
        pageOfBlock = new int[blockCount];
        Arrays.fill(pageOfBlock, RoutedExpertPages.NO_PAGE);
    }

    public int page(final int blockId)
    {
        return pageOfBlock[blockId];
    }

    /** Gives the block a page in place of the one of its former use; the block adds its own reference. */
    public void replace(final int blockId, final int page)
    {
        final int former = pageOfBlock[blockId];
        pages.retain(page);
        pageOfBlock[blockId] = page;
        if (former != RoutedExpertPages.NO_PAGE)
        {
            pages.release(former);
        }
    }
}
