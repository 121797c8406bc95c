// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.event.StepView;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Arrays;
import java.util.BitSet;

/** Requests, KV blocks and steps of one rank of a {@link RunFold}. */
final class RunRank
{
    /** By block, the live requests that hold it. */
    private int[] holders = new int[1024];
    private int blocksInUse;
    /** Blocks that decoding filled. */
    private final BitSet generated = new BitSet();
    private RunStep[] steps = {new RunStep()};
    private final RunStep unknown = new RunStep();
    /** Requests of the last step, by entry: mostly those of the next one too. An ended one has another id by then. */
    private RunRequest[] entries = new RunRequest[16];

    int blocksInUse()
    {
        return blocksInUse;
    }

    RunRequest request(final int entry, final long requestId, final Long2ObjectHashMap<RunRequest> live)
    {
        if (entry >= entries.length)
        {
            entries = Arrays.copyOf(entries, 2 * entry);
        }
        RunRequest request = entries[entry];
        if (request == null || request.id != requestId)
        {
            request = live.get(requestId);
            entries[entry] = request;
        }
        return request;
    }

    void open(final long number, final int tokens, final long nowNanos)
    {
        int free = 0;
        while (free < steps.length && !steps[free].isFree())
        {
            free++;
        }
        if (free == steps.length)
        {
            steps = Arrays.copyOf(steps, free + 1);
            steps[free] = new RunStep();
        }
        steps[free].plan(number, tokens, nowNanos);
    }

    /** The step that ends. */
    RunStep find(final long number)
    {
        for (final RunStep step : steps)
        {
            if (step.number() == number)
            {
                return step;
            }
        }
        return unknown.unknown();
    }

    /** Adds a block that the request gains with a step of the rank. */
    void add(final RunRequest request, final StepView plan, final int change)
    {
        final int block = plan.changeBlockId(change);
        hold(request, block);
        if (!plan.changeIsMatch(change))
        {
            generated.clear(block);
        }
        else if (request.isMatchedBy(plan))
        {
            request.generatedMatches += generated.get(block) ? 1 : 0;
            request.pendingMatches += plan.changeIsPendingMatch(change) ? 1 : 0;
        }
    }

    void hold(final RunRequest request, final int block)
    {
        if (block >= holders.length)
        {
            holders = Arrays.copyOf(holders, Math.max(block + 1, 2 * holders.length));
        }
        request.blocks.addInt(block);
        blocksInUse += holders[block]++ == 0 ? 1 : 0;
    }

    void releaseAll(final RunRequest request)
    {
        for (int i = 0; i < request.blocks.size(); i++)
        {
            blocksInUse -= --holders[request.blocks.getInt(i)] == 0 ? 1 : 0;
        }
        request.blocks.clear();
    }

    void generated(final int block)
    {
        generated.set(block);
    }
}
