// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

import java.util.List;

/**
 * Writes a {@link FoldedState} as bytes and reads it again. Fields that follow from others are not written: the owners of a
 * block, the stage of a request, digests and sums. So no bytes mean a state that contradicts itself.
 */
public final class StateCodec
{
    static final int CANCELLED = 1;
    static final int PAUSED = 2;
    static final int WANTS_ROWS = 4;
    /** A block that was handed out before: what it is now. */
    static final int FREE = 0;
    static final int OWNED = 1;
    static final int PREFIX = 2;

    private StateCodec()
    {
    }

    /** Appends the state; returns the position behind it. */
    public static int encode(final FoldedState state, final ExpandableArrayBuffer target, final int start)
    {
        final StateBytes bytes = StateBytes.writing(target, start);
        bytes.putNumber(state.timeNanos);
        bytes.putCount(state.inputs);
        bytes.putCount(state.accepted);
        bytes.putCount(state.refused);
        bytes.putCount(state.ended);
        bytes.putCount(state.generatedTokens);
        bytes.putNumber(state.weightGeneration);
        bytes.putNumber(state.cacheGeneration);
        bytes.putCount(state.draining ? 1 : 0);
        putLine(bytes, state.queue);
        for (final RankState rank : state.ranks)
        {
            putRank(bytes, rank);
        }
        final List<RequestState> finished =
            state.requests().stream().filter(request -> request.stage == RequestState.Stage.FINISHED).toList();
        bytes.putCount(finished.size());
        for (final RequestState request : finished)
        {
            bytes.putNumber(request.rank);
            putRequest(bytes, request);
        }
        return bytes.position();
    }

    private static void putLine(final StateBytes bytes, final RequestLine line)
    {
        bytes.putCount(line.size());
        for (int i = 0; i < line.size(); i++)
        {
            putRequest(bytes, line.get(i));
        }
    }

    private static void putRequest(final StateBytes bytes, final RequestState request)
    {
        bytes.putNumber(request.id);
        bytes.putNumber(request.conversationId);
        bytes.putNumber(request.submitNanos);
        bytes.putNumber(request.sinceNanos);
        bytes.putNumber(request.priority);
        bytes.putNumber(request.promptTokens);
        bytes.putNumber(request.maxNewTokens);
        bytes.putNumber(request.generatedTokens);
        bytes.putNumber(request.computedTokens);
        bytes.putNumber(request.preemptions);
        bytes.putCount((request.cancelled ? CANCELLED : 0) | (request.paused ? PAUSED : 0) |
            (request.wantsRows ? WANTS_ROWS : 0));
        bytes.putCount(request.admission);
        bytes.putCount(request.former);
        putBlocks(bytes, request.blocks, request.blockCount);
    }

    private static void putBlocks(final StateBytes bytes, final int[] blocks, final int count)
    {
        bytes.putCount(count);
        for (int i = 0; i < count; i++)
        {
            bytes.putCount(blocks[i]);
        }
    }

    private static void putRank(final StateBytes bytes, final RankState rank)
    {
        bytes.putCount(rank.stage.ordinal());
        bytes.putNumber(rank.epoch);
        bytes.putCount(rank.newestStep);
        bytes.putCount(rank.admissions);
        putLine(bytes, rank.waiting);
        putLine(bytes, rank.running);
        bytes.putCount(rank.open.size());
        for (final StepState step : rank.open)
        {
            bytes.putCount(step.step());
            bytes.putNumber(step.plannedNanos());
            bytes.putNumber(step.tokens());
            bytes.putCount(step.requestIds().length);
            for (final long id : step.requestIds())
            {
                bytes.putNumber(id);
            }
        }
        bytes.putCount(rank.retired.size());
        for (final RetiredBlocks retired : rank.retired)
        {
            bytes.putCount(retired.fence());
            putBlocks(bytes, retired.blocks(), retired.blocks().length);
        }
        putPool(bytes, rank.blocks);
    }

    private static void putPool(final StateBytes bytes, final BlockStates pool)
    {
        for (int block = 0; block < pool.count(); block++)
        {
            bytes.putCount(Integer.toUnsignedLong(pool.issues[block]));
            if (pool.owners[block] > 0 || pool.isCached(block))
            {
                bytes.putCount(pool.hashes[block] == BlockStates.NO_HASH ? OWNED : PREFIX);
                bytes.putCount(pool.lastUses[block]);
                bytes.putCount(pool.places[block]);
                bytes.putCount(pool.predecessors[block] + 1);
                if (pool.hashes[block] != BlockStates.NO_HASH)
                {
                    bytes.putHash(pool.hashes[block]);
                    bytes.putCount(pool.depths[block]);
                    bytes.putCount(pool.parents[block] + 1);
                }
            }
            else if (pool.issues[block] > 0)
            {
                bytes.putCount(FREE);
            }
        }
    }

    /**
     * Reads a state.
     *
     * @throws IllegalArgumentException if the bytes are no state of such a run.
     */
    public static FoldedState decode(
        final StateShape shape, final DirectBuffer source, final int start, final int length)
    {
        return new StateDecoder(shape, StateBytes.reading(source, start, length)).decode();
    }
}
