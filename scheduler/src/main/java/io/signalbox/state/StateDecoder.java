// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

/** Reads what {@link StateCodec} writes. */
final class StateDecoder
{
    private static final long MOST = Long.MAX_VALUE;

    private final FoldedState state;
    private final StateBytes bytes;

    StateDecoder(final StateShape shape, final StateBytes bytes)
    {
        state = new FoldedState(shape);
        this.bytes = bytes;
    }

    FoldedState decode()
    {
        state.timeNanos = bytes.number();
        state.inputs = bytes.count(MOST);
        state.accepted = bytes.count(MOST);
        state.refused = bytes.count(MOST);
        state.ended = bytes.count(MOST);
        state.generatedTokens = bytes.count(MOST);
        state.weightGeneration = bytes.int32();
        state.cacheGeneration = bytes.int32();
        state.draining = bytes.count(1) == 1;
        line(state.queue, RequestState.Stage.QUEUED, RequestState.NO_RANK);
        for (final RankState rank : state.ranks)
        {
            rank(rank);
        }
        for (int left = bytes.parts(); left > 0; left--)
        {
            final int rank = bytes.int32();
            if (rank < RequestState.NO_RANK || rank >= state.ranks.length)
            {
                throw new IllegalArgumentException("rank " + rank + " of a request is not one of " + state.ranks.length);
            }
            request(RequestState.Stage.FINISHED, rank);
        }
        bytes.requireEnd();
        return state;
    }

    private void line(final RequestLine line, final RequestState.Stage stage, final int rank)
    {
        for (int left = bytes.parts(); left > 0; left--)
        {
            line.addLast(request(stage, rank));
        }
    }

    private RequestState request(final RequestState.Stage stage, final int rank)
    {
        final long id = bytes.number();
        final long conversation = bytes.number();
        final long submitNanos = bytes.number();
        final long sinceNanos = bytes.number();
        final int priority = bytes.int32();
        final int promptTokens = bytes.int32();
        final int maxNewTokens = bytes.int32();
        final int generatedTokens = bytes.int32();
        final int computedTokens = bytes.int32();
        final int preemptions = bytes.int32();
        final long flags = bytes.count(StateCodec.CANCELLED | StateCodec.PAUSED | StateCodec.WANTS_ROWS);
        final RequestState request = new RequestState(id, conversation, submitNanos, priority, promptTokens, maxNewTokens,
            (flags & StateCodec.WANTS_ROWS) != 0);
        request.generatedTokens = generatedTokens;
        request.computedTokens = computedTokens;
        request.preemptions = preemptions;
        request.cancelled = (flags & StateCodec.CANCELLED) != 0;
        request.paused = (flags & StateCodec.PAUSED) != 0;
        request.admission = bytes.count(MOST);
        request.former = bytes.count(MOST);
        request.rank = rank;
        request.moveTo(stage, sinceNanos);
        request.blocks = blocks();
        request.blockCount = request.blocks.length;
        if (request.blockCount > 0 && stage != RequestState.Stage.RUNNING)
        {
            throw new IllegalArgumentException("request " + id + " has blocks, and does not run");
        }
        if (state.requests.put(id, request) != null)
        {
            throw new IllegalArgumentException("request " + id + " is there twice");
        }
        return request;
    }

    private int[] blocks()
    {
        final int[] blocks = new int[bytes.parts()];
        for (int i = 0; i < blocks.length; i++)
        {
            blocks[i] = (int)bytes.count(state.shape.kvBlocks() - 2);
        }
        return blocks;
    }

    private void rank(final RankState rank)
    {
        rank.stage = RankState.Stage.values()[(int)bytes.count(RankState.Stage.values().length - 1)];
        rank.epoch = bytes.int32();
        rank.newestStep = bytes.count(MOST);
        rank.admissions = bytes.count(MOST);
        line(rank.waiting, RequestState.Stage.PLACED, rank.rank);
        line(rank.running, RequestState.Stage.RUNNING, rank.rank);
        for (int left = bytes.parts(); left > 0; left--)
        {
            rank.open.add(step());
        }
        for (int left = bytes.parts(); left > 0; left--)
        {
            rank.retired.add(new RetiredBlocks(bytes.count(MOST), blocks()));
        }
        pool(rank);
    }

    private StepState step()
    {
        final long number = bytes.count(MOST);
        final long plannedNanos = bytes.number();
        final int tokens = bytes.int32();
        final long[] ids = new long[bytes.parts()];
        for (int i = 0; i < ids.length; i++)
        {
            ids[i] = bytes.number();
        }
        return new StepState(number, plannedNanos, tokens, ids);
    }

    private void pool(final RankState rank)
    {
        final BlockStates pool = rank.blocks;
        for (int i = 0; i < rank.running.size(); i++)
        {
            own(pool, rank.running.get(i).blocks);
        }
        rank.retired.forEach(retired -> own(pool, retired.blocks()));
        for (int block = 0; block < pool.count(); block++)
        {
            // The number of an issue may pass the largest positive int.
            pool.issues[block] = (int)bytes.count(0xFFFF_FFFFL);
            final int kind = pool.issues[block] == 0 ? StateCodec.FREE : (int)bytes.count(StateCodec.PREFIX);
            if (kind != StateCodec.FREE)
            {
                used(pool, block, kind);
            }
            if (pool.owners[block] > 0 && kind == StateCodec.FREE || pool.owners[block] == 0 && kind == StateCodec.OWNED)
            {
                throw new IllegalArgumentException("block " + block + " of rank " + rank.rank + " has " +
                    pool.owners[block] + " owners, and is of kind " + kind);
            }
        }
        pool.recount();
    }

    private static void own(final BlockStates pool, final int[] blocks)
    {
        for (final int block : blocks)
        {
            pool.owners[block]++;
        }
    }

    private void used(final BlockStates pool, final int block, final int kind)
    {
        final int most = state.shape.kvBlocks() - 1;
        pool.lastUses[block] = bytes.count(MOST);
        pool.places[block] = (int)bytes.count(Integer.MAX_VALUE);
        pool.predecessors[block] = (int)bytes.count(most) - 1;
        if (kind == StateCodec.PREFIX)
        {
            pool.hashes[block] = bytes.hash();
            pool.depths[block] = (int)bytes.count(Integer.MAX_VALUE);
            pool.parents[block] = (int)bytes.count(most) - 1;
            if (pool.hashes[block] == BlockStates.NO_HASH)
            {
                throw new IllegalArgumentException("block " + block + " is found under no hash");
            }
        }
    }
}
