// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.ConfigException;
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

    /** The columns of the answer. */
    public List<TableColumn> columns()
    {
        return switch (view)
        {
            case REQUESTS -> List.of(TableColumn.number("rank"), TableColumn.text("state"), TableColumn.number("place"),
                TableColumn.number("request"), TableColumn.number("conversation"), TableColumn.seconds("submitted"),
                TableColumn.seconds("since"), TableColumn.number("promptTokens"), TableColumn.number("computed"),
                TableColumn.number("tokens"), TableColumn.number("blocks"), TableColumn.number("sharedBlocks"),
                TableColumn.number("stepsInFlight"), TableColumn.number("preemptions"));
            case RANKS -> List.of(TableColumn.number("rank"), TableColumn.text("state"), TableColumn.number("running"),
                TableColumn.number("paused"), TableColumn.number("waiting"), TableColumn.number("stepsInFlight"),
                TableColumn.number("tokensInFlight"), TableColumn.number("newestStep"), TableColumn.number("ownedBlocks"),
                TableColumn.number("cachedBlocks"), TableColumn.number("freeBlocks"), TableColumn.number("epoch"));
            case BLOCKS -> List.of(TableColumn.number("rank"), TableColumn.number("block"), TableColumn.text("state"),
                TableColumn.number("owners"), TableColumn.number("issue"), TableColumn.text("hash"),
                TableColumn.number("depth"), TableColumn.number("lastStep"));
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
        receiver.onRow(isPlaced ? (long)request.rank() : null, name, place, request.id(),
            request.conversationId() < 0 ? null : request.conversationId(), request.submitNanos(), request.sinceNanos(),
            (long)request.promptTokens(), (long)request.computedTokens(), (long)request.generatedTokens(),
            (long)request.blockCount(), shared,
            isPlaced ? (long)state.rank(request.rank()).stepsOf(request.id()) : 0L, (long)request.preemptions());
    }

    private void listRank(final RankState of)
    {
        long paused = 0;
        for (int i = 0; i < of.running().size(); i++)
        {
            paused += of.running().get(i).isPaused() ? 1 : 0;
        }
        final BlockStates blocks = of.blocks();
        receiver.onRow((long)of.rank(), JournalQuery.label(of.stage()), (long)of.running().size(), paused,
            (long)of.waiting().size(), (long)of.open().size(), of.open().stream().mapToLong(step -> step.tokens()).sum(),
            of.newestStep(), (long)blocks.owned(), (long)blocks.cached(), (long)blocks.free(), (long)of.epoch());
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
        receiver.onRow((long)of, (long)block, blocks.owners(block) > 0 ? "owned" : "cached", (long)blocks.owners(block),
            Integer.toUnsignedLong(blocks.issue(block)), isHashed ? Long.toHexString(blocks.hash(block)) : null,
            isHashed ? (long)blocks.depth(block) : null, blocks.lastUse(block));
    }
}
