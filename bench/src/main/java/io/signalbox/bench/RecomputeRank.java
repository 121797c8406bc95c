// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.batch.BatchPlanner;
import io.signalbox.batch.BatchRules;
import io.signalbox.batch.RankBlocks;
import io.signalbox.batch.RankLoad;
import io.signalbox.batch.Request;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepOutput;
import io.signalbox.batch.StepPlan;
import io.signalbox.kv.EvictionPolicy;
import org.agrona.DirectBuffer;

/**
 * Signalbox's paging, which follows vLLM's scheduler: running requests come first in order of admission; when blocks run
 * out, the request admitted last releases its blocks and is recomputed later. A prefix is shared once the step that computes
 * it has completed. Driven as the scheduler does: place, plan, commit, remove ended requests.
 */
final class RecomputeRank implements PagedRank, StepOutput
{
    private final RankBlocks blocks;
    private final BatchRules rules = BatchRules.plain(MAX_REQUESTS, STEP_TOKENS);
    private final RankLoad rankLoad = new RankLoad(rules);
    private final BatchPlanner planner;
    private final StepPlan plan = new StepPlan();
    private final StepCommit commit = new StepCommit(null, null);
    private final PagingLoad load;
    private final int usableBlocks;
    private final int[] sampled = new int[MAX_REQUESTS];
    private PagingLedger ledger;
    private long steps;

    RecomputeRank(final int poolSize, final PagingLoad load)
    {
        this.load = load;
        usableBlocks = poolSize - 1;
        blocks = new RankBlocks(0, poolSize, BLOCK_SIZE_TOKENS, EvictionPolicy.LRU, true, false, null);
        planner = new BatchPlanner(blocks, rankLoad, rules,
            (request, preempted) -> ledger.lostBlocks((int)request.id()));
    }

    @Override
    public String paging()
    {
        return "RECOMPUTE";
    }

    @Override
    public void submit(final int request)
    {
        final int[] prompt = load.prompt(request);
        final Request submitted = new Request(null).reset(request, prompt.length, load.newTokens(request), -1);
        for (final long hash : load.hashes(request))
        {
            submitted.prefix().addPromptBlock(hash);
        }
        planner.place(submitted, 0);
    }

    @Override
    public boolean step(final PagingLedger stepLedger)
    {
        ledger = stepLedger;
        if (!planner.hasWork())
        {
            return true;
        }
        planner.plan(plan, ++steps);
        int samples = 0;
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final Request request = plan.entryRequest(entry);
            ledger.computed((int)request.id(), plan.entryStart(entry), plan.entryTokens(entry));
            if (plan.samples(entry))
            {
                sampled[samples++] = PagingLoad.sampledToken(request.id(), request.knownTokens());
            }
        }
        ledger.poolUse(ownedBlocks(), usableBlocks);
        commit.apply(plan, blocks, rankLoad, this);
        planner.landed(plan);
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            if (commit.outcome(entry) != StepCommit.Outcome.CONTINUES)
            {
                final Request request = plan.entryRequest(entry);
                ledger.ended((int)request.id(), request.knownTokens());
                planner.remove(request);
            }
        }
        return true;
    }

    @Override
    public int start(final int entry)
    {
        return plan.entryStart(entry);
    }

    @Override
    public int accepted(final int entry)
    {
        return plan.samples(entry) ? 1 : 0;
    }

    @Override
    public int token(final int index)
    {
        return sampled[index];
    }

    @Override
    public DirectBuffer rows()
    {
        return null;
    }

    @Override
    public int rowsOffset()
    {
        return 0;
    }

    @Override
    public boolean hasLogprobs()
    {
        return false;
    }

    @Override
    public int logprobBits(final int index)
    {
        throw new IllegalStateException("there are no log-probabilities");
    }

    @Override
    public int impossibleCount()
    {
        return 0;
    }

    @Override
    public int impossibleRow(final int index)
    {
        throw new IndexOutOfBoundsException("there are no rows");
    }

    @Override
    public int ownedBlocks()
    {
        return blocks.allocator().owned();
    }
}
