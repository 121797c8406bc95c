// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.ConfigException;
import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;

/** Lists everything that happened to one KV block of a rank, or to every block of one request. */
public final class BlockQuery extends JournalQuery
{
    private static final int ANY = -1;

    private final int rank;
    private final int block;
    private final Long requestId;

    private BlockQuery(final int rank, final int block, final Long requestId)
    {
        this.rank = rank;
        this.block = block;
        this.requestId = requestId;
    }

    /** The owners of a block over time, its hash, evictions, and what made all cached prefixes useless. */
    public static BlockQuery ofBlock(final int rank, final int block)
    {
        return new BlockQuery(rank, block, null);
    }

    /** The blocks of a request: which were allocated, which came from other requests, and when they were released. */
    public static BlockQuery ofRequest(final long requestId)
    {
        return new BlockQuery(ANY, ANY, requestId);
    }

    @Override
    boolean needsAll()
    {
        return false;
    }

    @Override
    public Class<BlockRow> rowType()
    {
        return BlockRow.class;
    }

    /** @throws ConfigException if the run has no such block. */
    @Override
    void begin(final JournalReader journal)
    {
        if (requestId != null)
        {
            return;
        }
        requireRank(journal, rank);
        final int kvBlocks = journal.setting(SchedulerConfig.KV_BLOCKS);
        if (block >= kvBlocks)
        {
            throw new ConfigException("block " + block + " is none of a rank's, which are 0 to " + (kvBlocks - 1) +
                "; give one of them.");
        }
    }

    private boolean isAbout(final int eventRank, final int eventBlock, final long eventRequest)
    {
        return requestId == null ? eventRank == rank && eventBlock == block : requestId == eventRequest;
    }

    /** @param eventRequest -1: none. */
    private void event(
        final int eventRank,
        final int eventBlock,
        final String event,
        final long eventRequest,
        final Long index,
        final Long issue,
        final Long step,
        final String detail)
    {
        if (isAbout(eventRank, eventBlock, eventRequest))
        {
            row(new BlockRow(nowNanos(), eventRank, eventBlock, event, eventRequest < 0 ? null : Long.valueOf(eventRequest),
                index, issue, step, detail));
        }
    }

    @Override
    public void onStep(final StepView plan)
    {
        if (requestId == null && plan.rank() != rank)
        {
            return;
        }
        final long step = plan.step();
        final int evicted = requestId == null ? plan.evictedCount() : 0;
        for (int i = 0; i < evicted; i++)
        {
            if (plan.evictedBlockId(i) == block)
            {
                event(rank, block, "evicted", -1, null, null, step, hash(plan.evictedHash(i)));
            }
        }
        final int changes = plan.changeCount();
        for (int i = 0; i < changes; i++)
        {
            if (isAbout(plan.rank(), plan.changeBlockId(i), plan.changeRequestId(i)))
            {
                final String kind =
                    plan.changeIsPendingMatch(i) ? "matched-pending" : plan.changeIsMatch(i) ? "matched" : "allocated";
                event(plan.rank(), plan.changeBlockId(i), kind, plan.changeRequestId(i), (long)plan.changeIndex(i),
                    (long)plan.changeIssue(i), step, null);
            }
        }
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView commit)
    {
        if (requestId != null || commit.rank() != rank)
        {
            return;
        }
        final int registered = commit.registeredCount();
        for (int i = 0; i < registered; i++)
        {
            if (commit.registeredBlockId(i) == block)
            {
                event(rank, block, commit.registeredGenerated(i) ? "registered-generated" : "registered", -1, null, null,
                    commit.step(), hash(commit.registeredHash(i)));
            }
        }
    }

    private static String hash(final long value)
    {
        return "hash " + Long.toHexString(value);
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        final long owner = requeued.requestId();
        final int ownerRank = requeued.rank();
        final String reason = label(requeued.reason());
        requeued.released().forEach(released ->
            event(ownerRank, released.blockId(), "released", owner, null, null, null, reason));
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        final long owner = end.requestId();
        final int ownerRank = end.rank();
        final String reason = label(end.reason());
        end.released().forEach(released ->
            event(ownerRank, released.blockId(), "released", owner, null, null, null, reason));
    }

    @Override
    public void onControl(final ControlDecoder control)
    {
        if (requestId == null && control.kind() == ControlKind.CACHE_RESET)
        {
            event(rank, block, "cache-reset", -1, null, null, null, "cached prefixes are not found any more");
        }
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder change)
    {
        if (requestId == null)
        {
            event(rank, block, "new-weights", -1, null, null, null, "generation " + change.weightGeneration());
        }
    }
}
