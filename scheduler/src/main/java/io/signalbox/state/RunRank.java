// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.event.StepView;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Arrays;

/** Requests, KV blocks and steps of one rank of a {@link RunFold}. */
final class RunRank
{
    private static final int PAGE_SHIFT = 10;
    private static final int PAGE_BLOCKS = 1 << PAGE_SHIFT;
    private static final int GENERATED = 1;
    private static final int HOLDER = 2;

    /**
     * By block: {@link #HOLDER} for each live request that holds it, and {@link #GENERATED} if decoding filled it. In pages,
     * because a damaged journal may name any block.
     */
    private int[][] pages = new int[4][];
    private int blocksInUse;
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
        final int[] page = page(block);
        if (!plan.changeIsMatch(change))
        {
            page[place(block)] &= ~GENERATED;
        }
        else if (request.isMatchedBy(plan))
        {
            request.generatedMatches += page[place(block)] & GENERATED;
            request.pendingMatches += plan.changeIsPendingMatch(change) ? 1 : 0;
        }
    }

    void hold(final RunRequest request, final int block)
    {
        request.blocks.addInt(block);
        final int[] page = page(block);
        blocksInUse += page[place(block)] < HOLDER ? 1 : 0;
        page[place(block)] += HOLDER;
    }

    void releaseAll(final RunRequest request)
    {
        for (int i = 0; i < request.blocks.size(); i++)
        {
            final int block = request.blocks.getInt(i);
            final int[] page = page(block);
            page[place(block)] -= HOLDER;
            blocksInUse -= page[place(block)] < HOLDER ? 1 : 0;
        }
        request.blocks.clear();
    }

    void generated(final int block)
    {
        page(block)[place(block)] |= GENERATED;
    }

    private int[] page(final int block)
    {
        final int number = block >>> PAGE_SHIFT;
        if (number >= pages.length)
        {
            pages = Arrays.copyOf(pages, Math.max(number + 1, 2 * pages.length));
        }
        if (pages[number] == null)
        {
            pages[number] = new int[PAGE_BLOCKS];
        }
        return pages[number];
    }

    private static int place(final int block)
    {
        return block & PAGE_BLOCKS - 1;
    }
}
