// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

/** One rank under either paging, driven step by step; what it does goes into a {@link PagingLedger}. */
interface PagedRank
{
    int BLOCK_SIZE_TOKENS = 16;
    int MAX_REQUESTS = 32;
    int STEP_TOKENS = 512;

    /** @param usableBlocks KV blocks that requests can have: the dummy block comes on top. */
    static PagedRank of(final PagingProfile profile, final int usableBlocks, final PagingLoad load)
    {
        return switch (profile)
        {
            case RECOMPUTE -> new RecomputeRank(usableBlocks + 1, load);
            case MEGATRON -> new MegatronRank(usableBlocks + 1, load);
        };
    }

    void submit(int request);

    /**
     * Runs one step, an empty one if there is no request.
     *
     * @return false when requests are there and no later step will ever compute anything.
     */
    boolean step(PagingLedger ledger);

    /** Blocks that requests hold. */
    int ownedBlocks();
}
