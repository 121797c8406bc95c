// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.AcceptedEncoder;
import io.signalbox.event.codec.ContinuedEncoder;
import io.signalbox.event.codec.DigestEncoder;
import io.signalbox.event.codec.FreeEncoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.NewWeightsEncoder;
import io.signalbox.event.codec.PausedEncoder;
import io.signalbox.event.codec.PlacedEncoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedEncoder;
import io.signalbox.event.codec.RequeuedEncoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnEncoder;
import org.agrona.sbe.MessageEncoderFlyweight;

/**
 * Appends outputs to a group. A message with parts is returned: set every field in schema order, then call {@link #end}. Not
 * thread-safe.
 */
public final class OutputWriter
{
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final AcceptedEncoder accepted = new AcceptedEncoder();
    private final RefusedEncoder refused = new RefusedEncoder();
    private final PlacedEncoder placed = new PlacedEncoder();
    private final ScheduleWriter schedule = new ScheduleWriter();
    private final CommitWriter commit = new CommitWriter();
    private final FreeEncoder free = new FreeEncoder();
    private final RequeuedEncoder requeued = new RequeuedEncoder();
    private final PausedEncoder paused = new PausedEncoder();
    private final ContinuedEncoder continued = new ContinuedEncoder();
    private final WithdrawnEncoder withdrawn = new WithdrawnEncoder();
    private final NewWeightsEncoder newWeights = new NewWeightsEncoder();
    private final DigestEncoder digest = new DigestEncoder();
    private GroupWriter group;

    /** Appends to this group from now on. */
    public void into(final GroupWriter target)
    {
        group = target;
    }

    public GroupWriter group()
    {
        return group;
    }

    public void end(final MessageEncoderFlyweight message)
    {
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + message.encodedLength());
    }

    public void accepted(final long requestId)
    {
        end(accepted.wrapAndApplyHeader(group.buffer(), group.begin(), header).requestId(requestId));
    }

    public void refused(final long requestId, final RefusalReason reason)
    {
        end(refused.wrapAndApplyHeader(group.buffer(), group.begin(), header).requestId(requestId).reason(reason));
    }

    public PlacedEncoder placed()
    {
        return placed.wrapAndApplyHeader(group.buffer(), group.begin(), header);
    }

    public void schedule(final PlannedStep plan, final int epoch, final int rank)
    {
        schedule.write(group, plan, epoch, rank);
    }

    public void commit(final PlannedEntries plan, final CommittedStep result, final int epoch, final int rank)
    {
        commit.write(group, plan, result, epoch, rank);
    }

    /** @param detail what is wrong with the completion, or empty. */
    public void withdrawn(
        final long step,
        final long causeStep,
        final int epoch,
        final int rank,
        final WithdrawalCause cause,
        final String detail)
    {
        end(withdrawn.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .step(step).causeStep(causeStep).epoch(epoch).rank(rank).cause(cause).detail(detail));
    }

    public FreeEncoder free()
    {
        return free.wrapAndApplyHeader(group.buffer(), group.begin(), header);
    }

    public void paused(final long requestId, final int rank, final int blocks)
    {
        end(paused.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .requestId(requestId).rank(rank).blocks(blocks));
    }

    public void continued(final long requestId, final int rank)
    {
        end(continued.wrapAndApplyHeader(group.buffer(), group.begin(), header).requestId(requestId).rank(rank));
    }

    public RequeuedEncoder requeued()
    {
        return requeued.wrapAndApplyHeader(group.buffer(), group.begin(), header);
    }

    public void newWeights(final int generation, final WeightsWay way, final String version)
    {
        end(newWeights.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .weightGeneration(generation).way(way).version(version));
    }

    public void digest(
        final long inputs, final long pool, final long prefixIndex, final long rows, final long requests, final long router)
    {
        end(digest.wrapAndApplyHeader(group.buffer(), group.begin(), header)
            .inputs(inputs)
            .poolDigest(pool)
            .prefixIndexDigest(prefixIndex)
            .rowsDigest(rows)
            .requestsDigest(requests)
            .routerDigest(router));
    }
}
