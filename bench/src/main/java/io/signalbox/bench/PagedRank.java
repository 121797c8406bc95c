// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

/** One rank with one paging, driven step by step; a {@link PagingLedger} records its work. */
interface PagedRank
{
    int BLOCK_SIZE_TOKENS = 16;
    int MAX_REQUESTS = 32;
    int STEP_TOKENS = 512;

    /** Name of the paging in tables. */
    String paging();

    void submit(int request);

    /**
     * Runs one step, an empty one if there is no request.
     *
     * @return false if requests are left and no later step will compute anything.
     */
    boolean step(PagingLedger ledger);

    /** Blocks that requests hold. */
    int ownedBlocks();
}
