// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.state.FoldedState;
import io.signalbox.state.RequestState;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.Long2ObjectHashMap;

/** A live request's part of the report. */
final class RequestRecord
{
    /** In the place of a time ahead of what is read. */
    static final long UNKNOWN = Long.MIN_VALUE;

    final long requestId;
    final long submitNanos;
    final int promptTokens;
    final TenantRecord tenant;
    /** KV blocks that the request holds on {@link #rank}. */
    final IntArrayList blocks = new IntArrayList();
    int rank = -1;
    long firstTokenNanos;
    long lastTokenNanos;
    int tokens;
    boolean ended;
    /** The step with which it was admitted for the first time; 0: not yet. Each rank numbers its own steps. */
    long admittedInStep;
    int admittedOnRank = -1;
    /** A step that computed it was committed. */
    boolean landed;
    int matchedBlocks;
    int generatedBlocks;
    int pendingBlocks;

    RequestRecord(final long requestId, final long submitNanos, final int promptTokens, final TenantRecord tenant)
    {
        this.requestId = requestId;
        this.submitNanos = submitNanos;
        this.promptTokens = promptTokens;
        this.tenant = tenant;
    }

    /** Mean time per output token after the first; 0 if there is no second one. */
    long tpotNanos()
    {
        return tokens < 2 || firstTokenNanos == UNKNOWN ? 0 : (lastTokenNanos - firstTokenNanos) / (tokens - 1);
    }

    /** Adds the requests that have begun; returns how many. */
    static long begin(
        final FoldedState state, final Long2ObjectHashMap<RequestRecord> live, final RankRecord[] ranks)
    {
        for (final RequestState was : state.requests())
        {
            if (was.stage() != RequestState.Stage.FINISHED)
            {
                live.put(was.id(), begun(was, state.timeNanos(), ranks));
            }
        }
        for (final RankRecord rank : ranks)
        {
            state.rank(rank.number()).open().forEach(step -> rank.device.begun(step.step(), step.plannedNanos()));
        }
        return live.size();
    }

    private static RequestRecord begun(final RequestState was, final long nowNanos, final RankRecord[] ranks)
    {
        final RequestRecord request = new RequestRecord(was.id(), was.submitNanos(), was.promptTokens(), null);
        request.tokens = was.generatedTokens();
        request.firstTokenNanos = UNKNOWN;
        request.lastTokenNanos = UNKNOWN;
        final boolean wasAdmitted =
            was.stage() == RequestState.Stage.RUNNING || was.preemptions() > 0 || was.generatedTokens() > 0;
        // Of an admission that is not among the figures nothing can be withdrawn.
        request.admittedInStep = wasAdmitted ? UNKNOWN : 0;
        request.landed = wasAdmitted;
        request.rank = was.rank();
        for (int i = 0; i < was.blockCount(); i++)
        {
            request.blocks.addInt(was.block(i));
            ranks[was.rank()].hold(was.block(i), nowNanos);
        }
        return request;
    }
}
