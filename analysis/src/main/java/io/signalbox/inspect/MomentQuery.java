// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.ConfigException;
import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalMoment;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.RunMoment;
import io.signalbox.state.BlockStates;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RankState;
import io.signalbox.state.RequestLine;
import io.signalbox.state.RequestState;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lists what a run was at a moment: who ran and who waited, what its ranks did, or which KV blocks were in use. */
public final class MomentQuery
{
    /** The rows of the answer. */
    public enum View
    {
        /** Requests that had not ended, or whose rows waited: by rank, running ones first, in their order. */
        REQUESTS,
        RANKS,
        /** KV blocks that were owned or cached: owned ones by id, cached ones from the one used longest ago. */
        BLOCKS
    }

    /**
     * A row of {@code inspect moment JOURNAL MOMENT --json}: a request. The requests of each rank come first, running ones
     * before waiting ones, then those in the queue, then those that have ended and whose rows wait.
     *
     * @param rank           its rank; {@code null}: not placed
     * @param state          {@code running}, {@code paused}, {@code cancelled}, {@code waiting} on its rank, {@code queued},
     *                       or {@code rows-wait}
     * @param place          place among the running or waiting requests, from 0; {@code null} if requests leave the queue in
     *                       another order than the order of their arrival, or it has ended
     * @param request        its id
     * @param conversation   its conversation; {@code null} if there is none
     * @param submittedNanos logical time of its Submit
     * @param sinceNanos     logical time at which its state began
     * @param promptTokens   tokens of its prompt
     * @param computed       tokens in its KV blocks
     * @param tokens         tokens that became visible
     * @param blocks         KV blocks that it owns
     * @param sharedBlocks   KV blocks that it owns with other requests
     * @param stepsInFlight  steps in flight that compute it
     * @param preemptions    how often it was preempted
     */
    @DocumentSchema("signalbox.inspect-moment/2")
    public record MomentRequest(
        Long rank,
        String state,
        Long place,
        long request,
        Long conversation,
        @JsonName("submittedSeconds") long submittedNanos,
        @JsonName("sinceSeconds") long sinceNanos,
        long promptTokens,
        long computed,
        long tokens,
        long blocks,
        long sharedBlocks,
        long stepsInFlight,
        long preemptions)
    {
    }

    /**
     * A row of {@code inspect moment JOURNAL MOMENT --show ranks --json}: a rank, or in the last row the
     * queue of requests that have no rank, of which only {@code waiting} is known.
     *
     * @param rank           the rank; {@code null}: the queue
     * @param state          {@code active}, {@code lost} or {@code given-up}; {@code queue}
     * @param running        requests with KV blocks, paused ones included; {@code null} of the queue
     * @param paused         paused requests; {@code null} of the queue
     * @param waiting        placed requests without KV blocks
     * @param stepsInFlight  steps in flight; {@code null} of the queue
     * @param tokensInFlight tokens of these steps; {@code null} of the queue
     * @param newestStep     number of its newest step; {@code null} of the queue
     * @param ownedBlocks    KV blocks with an owner; {@code null} of the queue
     * @param cachedBlocks   KV blocks with a hash and no owner; {@code null} of the queue
     * @param freeBlocks     other KV blocks; {@code null} of the queue
     * @param epoch          resets of its backend; {@code null} of the queue
     */
    @DocumentSchema("signalbox.inspect-moment-ranks/2")
    public record MomentRank(
        Integer rank,
        String state,
        Long running,
        Long paused,
        long waiting,
        Long stepsInFlight,
        Long tokensInFlight,
        Long newestStep,
        Long ownedBlocks,
        Long cachedBlocks,
        Long freeBlocks,
        Long epoch)
    {
    }

    /**
     * A row of {@code inspect moment JOURNAL MOMENT --show blocks --json}: a KV block. Blocks with an owner come first, by
     * id, then cached blocks, the one used longest ago first.
     *
     * @param rank     the rank
     * @param block    the KV block
     * @param state    {@code owned} or {@code cached}
     * @param owners   its owners
     * @param issue    how often it was handed out
     * @param hash     its hash; {@code null} if it has none
     * @param depth    blocks before it in its prefix; {@code null} if it has no hash
     * @param lastStep the step that used it last
     */
    @DocumentSchema("signalbox.inspect-moment-blocks/2")
    public record MomentBlock(
        int rank, int block, String state, long owners, long issue, String hash, Long depth, long lastStep)
    {
    }

    private static final int ALL_RANKS = -1;

    private final View view;
    private final int rank;
    private final JournalMoment moment;
    private JournalQuery.RowReceiver receiver;
    private FoldedState state;

    /** @param rank -1: all. */
    public MomentQuery(final View view, final int rank, final JournalMoment moment)
    {
        this.view = view;
        this.rank = rank;
        this.moment = moment;
    }

    /** The record of a row; its components are the columns of the answer. */
    public Class<? extends Record> rowType()
    {
        return switch (view)
        {
            case REQUESTS -> MomentRequest.class;
            case RANKS -> MomentRank.class;
            case BLOCKS -> MomentBlock.class;
        };
    }

    /**
     * Answers the question from a journal that is closed, was not closed, or is being written. It begins at the newest
     * snapshot ahead of the moment that fits the journal, and does not read what is behind the moment.
     *
     * @throws ConfigException  if the run has no such rank or record.
     * @throws JournalException if the journal is damaged ahead of the moment.
     */
    public RunMoment run(final Path directory, final JournalQuery.RowReceiver rows, final ReadProgress progress)
    {
        final RunMoment found = RunMoment.at(directory, moment, progress);
        state = found.state();
        receiver = rows;
        if (rank >= state.shape().ranks())
        {
            throw new ConfigException("rank " + rank + " is none of the run's, which are 0 to " +
                (state.shape().ranks() - 1) + "; give one of them.");
        }
        for (int i = 0; i < state.shape().ranks(); i++)
        {
            if (rank == ALL_RANKS || rank == i)
            {
                list(state.rank(i));
            }
        }
        if (view == View.REQUESTS)
        {
            listOthers();
        }
        if (view == View.RANKS && rank == ALL_RANKS)
        {
            listQueue();
        }
        return found;
    }

    private void list(final RankState of)
    {
        switch (view)
        {
            case REQUESTS ->
            {
                list(of.running(), "running", true);
                list(of.waiting(), "waiting", true);
            }
            case RANKS -> listRank(of);
            case BLOCKS -> listBlocks(of.rank(), of.blocks());
        }
    }

    private void list(final RequestLine line, final String name, final boolean isInOrder)
    {
        for (int i = 0; i < line.size(); i++)
        {
            final RequestState request = line.get(i);
            list(request, request.isCancelled() ? "cancelled" : request.isPaused() ? "paused" : name,
                isInOrder ? (long)i : null);
        }
    }

    /** Requests without a rank, and those that have ended. */
    private void listOthers()
    {
        if (rank == ALL_RANKS)
        {
            list(state.queue(), "queued", state.shape().inOrder());
        }
        state.requests().stream()
            .filter(request -> request.stage() == RequestState.Stage.FINISHED)
            .filter(request -> rank == ALL_RANKS || rank == request.rank())
            .forEach(request -> list(request, "rows-wait", null));
    }

    private void list(final RequestState request, final String name, final Long place)
    {
        final boolean isPlaced = request.rank() >= 0;
        long shared = 0;
        for (int i = 0; i < request.blockCount(); i++)
        {
            shared += state.rank(request.rank()).blocks().owners(request.block(i)) > 1 ? 1 : 0;
        }
        receiver.onRow(new MomentRequest(isPlaced ? Long.valueOf(request.rank()) : null, name, place, request.id(),
            request.conversationId() < 0 ? null : Long.valueOf(request.conversationId()), request.submitNanos(),
            request.sinceNanos(), request.promptTokens(), request.computedTokens(), request.generatedTokens(),
            request.blockCount(), shared, isPlaced ? state.rank(request.rank()).stepsOf(request.id()) : 0,
            request.preemptions()));
    }

    private void listRank(final RankState of)
    {
        long paused = 0;
        for (int i = 0; i < of.running().size(); i++)
        {
            paused += of.running().get(i).isPaused() ? 1 : 0;
        }
        final BlockStates blocks = of.blocks();
        receiver.onRow(new MomentRank(of.rank(), JournalQuery.label(of.stage()), (long)of.running().size(), paused,
            of.waiting().size(), (long)of.open().size(), of.open().stream().mapToLong(step -> step.tokens()).sum(),
            of.newestStep(), (long)blocks.owned(), (long)blocks.cached(), (long)blocks.free(), (long)of.epoch()));
    }

    /** Requests that wait and have no rank yet. */
    private void listQueue()
    {
        receiver.onRow(new MomentRank(
            null, "queue", null, null, state.queue().size(), null, null, null, null, null, null, null));
    }

    private void listBlocks(final int of, final BlockStates blocks)
    {
        final List<Integer> cached = new ArrayList<>();
        for (int block = 0; block < blocks.count(); block++)
        {
            if (blocks.owners(block) > 0)
            {
                listBlock(of, blocks, block);
            }
            else if (blocks.isCached(block))
            {
                cached.add(block);
            }
        }
        cached.sort(Comparator.comparingLong(blocks::lastUse));
        cached.forEach(block -> listBlock(of, blocks, block));
    }

    private void listBlock(final int of, final BlockStates blocks, final int block)
    {
        final boolean isHashed = blocks.hash(block) != BlockStates.NO_HASH;
        receiver.onRow(new MomentBlock(of, block, blocks.owners(block) > 0 ? "owned" : "cached", blocks.owners(block),
            Integer.toUnsignedLong(blocks.issue(block)), isHashed ? Long.toHexString(blocks.hash(block)) : null,
            isHashed ? Long.valueOf(blocks.depth(block)) : null, blocks.lastUse(block)));
    }
}
