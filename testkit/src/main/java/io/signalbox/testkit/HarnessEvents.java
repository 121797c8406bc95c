// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The decisions of a run, one line each, and what they did to each request. */
final class HarnessEvents implements RunListener
{
    private final List<String> lines = new ArrayList<>();
    private final Map<Long, Integer> ranks = new HashMap<>();
    private final Map<Long, Integer> preemptions = new HashMap<>();
    private final Map<Long, Integer> matchedBlocks = new HashMap<>();

    List<String> lines()
    {
        return List.copyOf(lines);
    }

    /** The rank on which the request was placed last; -1: none. */
    int rank(final long requestId)
    {
        return ranks.getOrDefault(requestId, -1);
    }

    int preemptions(final long requestId)
    {
        return preemptions.getOrDefault(requestId, 0);
    }

    /** Blocks that the request found in the prefix cache when it was admitted last. */
    int matchedBlocks(final long requestId)
    {
        return matchedBlocks.getOrDefault(requestId, 0);
    }

    @Override
    public void onAccepted(final RunRequest message)
    {
        lines.add("accepted " + message.id());
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder message)
    {
        lines.add("refused " + message.requestId() + ": " + message.reason());
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder message)
    {
        ranks.put(message.requestId(), message.rank());
        lines.add("placed " + message.requestId() + " on rank " + message.rank());
    }

    @Override
    public void onStep(final StepView step)
    {
        for (int i = 0; i < step.admittedCount(); i++)
        {
            matchedBlocks.put(step.admittedRequestId(i), step.matchedBlocks(i));
        }
        final StringBuilder line =
            new StringBuilder("scheduled step ").append(step.step()).append(" of rank ").append(step.rank()).append(':');
        for (int i = 0; i < step.entryCount(); i++)
        {
            line.append(i == 0 ? " " : ", ").append(step.requestId(i)).append('@').append(step.start(i)).append('+')
                .append(step.tokenCount(i));
        }
        lines.add(line.append(step.entryCount() == 0 ? " nothing" : "").toString());
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView commit)
    {
        final StringBuilder line =
            new StringBuilder("committed step ").append(commit.step()).append(" of rank ").append(commit.rank()).append(':');
        int emitted = 0;
        for (int i = 0; i < commit.entryCount(); i++)
        {
            if (commit.emitted(i) > 0)
            {
                line.append(emitted++ == 0 ? " " : ", ").append(commit.requestId(i)).append(" emits ")
                    .append(commit.emitted(i));
            }
        }
        lines.add(line.append(emitted == 0 ? " nothing emitted" : "").toString());
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder message)
    {
        if (message.reason() == RequeueReason.PREEMPTED)
        {
            preemptions.merge(message.requestId(), 1, Integer::sum);
        }
        lines.add("requeued " + message.requestId() + ": " + message.reason());
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder message)
    {
        lines.add("paused " + message.requestId());
    }

    @Override
    public void onWithdrawn(final RunStep landed, final WithdrawnDecoder message)
    {
        lines.add("withdrew step " + message.step() + " of rank " + message.rank() + ": " + message.cause());
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder message)
    {
        lines.add("ended " + message.requestId() + ": " + message.reason());
    }
}
