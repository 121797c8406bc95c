// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.reference.megatron.MegatronPlanner;
import io.signalbox.reference.megatron.PagedRequest;
import io.signalbox.reference.megatron.PagingConfig;
import io.signalbox.reference.megatron.StepLayout;

/**
 * The paging of Megatron Core's dynamic context as of August 2026: a request that crosses a block boundary is paused and
 * resumed, the one paused last first. Paused requests keep their blocks up to a limit, here a quarter of the pool; those
 * beyond it are evicted. A prefix can be shared from its admission on. Prompts are computed in chunks. See
 * {@link MegatronPlanner}.
 */
final class MegatronRank implements PagedRank
{
    private final MegatronPlanner planner;
    private final PagingLoad load;
    private final int usableBlocks;
    private final int[] sampled = new int[MAX_REQUESTS];

    MegatronRank(final int poolSize, final PagingLoad load)
    {
        this.load = load;
        usableBlocks = poolSize - 1;
        final KvBlockConfig pool =
            KvBlockConfig.of(poolSize).withPrefixCaching(EvictionPolicy.LRU).withPausedLimit(poolSize / 4);
        planner = new MegatronPlanner(
            new PagingConfig(pool, BLOCK_SIZE_TOKENS, MAX_REQUESTS, STEP_TOKENS, 0, true),
            (id, tokens, count, result) -> load.hash(tokens, count, result), null);
    }

    @Override
    public String paging()
    {
        return "MEGATRON";
    }

    @Override
    public void submit(final int request)
    {
        final int[] prompt = load.prompt(request);
        planner.submit(
            request, prompt, prompt.length, load.hashes(request), load.newTokens(request), PagedRequest.NO_STOP_TOKEN);
    }

    @Override
    public boolean step(final PagingLedger ledger)
    {
        final StepLayout layout = planner.schedule();
        if (layout.tokenCount() == 0)
        {
            return !planner.isStalled();
        }
        for (int row = 0; row < layout.activeRows(); row++)
        {
            final PagedRequest request = layout.request(row);
            ledger.computed((int)request.id(), layout.kvOffset(row), layout.queryTokens(row));
            sampled[row] = PagingLoad.sampledToken(request.id(), request.tokenCount());
        }
        ledger.poolUse(ownedBlocks(), usableBlocks);
        planner.update(sampled, null);
        for (int i = 0; i < planner.evictedCount(); i++)
        {
            ledger.lostBlocks((int)planner.evicted(i).id());
        }
        for (int i = 0; i < planner.finishedCount(); i++)
        {
            final PagedRequest request = planner.finished(i);
            ledger.ended((int)request.id(), request.tokenCount());
            planner.recycle(request);
        }
        return true;
    }

    @Override
    public int ownedBlocks()
    {
        return planner.allocator().owned();
    }
}
