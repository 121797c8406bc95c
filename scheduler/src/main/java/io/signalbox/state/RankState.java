// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import java.util.ArrayList;
import java.util.List;

/** One DP rank: its KV blocks, the requests placed on it and its steps in flight. */
public final class RankState
{
    /** Stage of a rank, as in the scheduler. */
    public enum Stage
    {
        ACTIVE,
        /** Takes part in no step before its backend is reset. */
        LOST,
        /** Lost, and nobody is expected to reset it. */
        GIVEN_UP
    }

    final int rank;
    final BlockStates blocks;
    final RequestLine waiting = new RequestLine();
    final RequestLine running = new RequestLine();
    final List<StepState> open = new ArrayList<>();
    final List<RetiredBlocks> retired = new ArrayList<>();
    Stage stage = Stage.ACTIVE;
    int epoch;
    long newestStep;
    long admissions;

    RankState(final int rank, final StateShape shape)
    {
        this.rank = rank;
        blocks = new BlockStates(shape.kvBlocks(), shape.keepsCachedBlocks());
    }

    public int rank()
    {
        return rank;
    }

    public BlockStates blocks()
    {
        return blocks;
    }

    /** Placed requests without KV blocks, in the order in which they are admitted. */
    public RequestLine waiting()
    {
        return waiting;
    }

    /** Requests with KV blocks, in batch order. */
    public RequestLine running()
    {
        return running;
    }

    /** The steps in flight, the oldest first. */
    public List<StepState> open()
    {
        return List.copyOf(open);
    }

    public Stage stage()
    {
        return stage;
    }

    public int epoch()
    {
        return epoch;
    }

    /** Number of the newest step; 0: none. */
    public long newestStep()
    {
        return newestStep;
    }

    /** Steps in flight with an entry of the request. */
    public int stepsOf(final long requestId)
    {
        int count = 0;
        for (final StepState step : open)
        {
            for (final long id : step.requestIds())
            {
                count += id == requestId ? 1 : 0;
            }
        }
        return count;
    }

    /** The step will never be in flight again. */
    StepState close(final long number)
    {
        for (int i = 0; i < open.size(); i++)
        {
            if (open.get(i).step() == number)
            {
                return open.remove(i);
            }
        }
        throw new IllegalStateException("step " + number + " of rank " + rank + " ends, but is not in flight");
    }

    /** A step has landed: blocks behind fences up to it are released. */
    void landed(final long step)
    {
        for (int i = 0; i < retired.size(); i++)
        {
            if (retired.get(i).fence() <= step)
            {
                for (final int block : retired.remove(i--).blocks())
                {
                    blocks.release(block);
                }
            }
        }
    }

    /** Steps from {@code fromStep} on never land: their fences fall back to the newest earlier step in flight. */
    void withdrawn(final long fromStep)
    {
        long newestLeft = 0;
        for (final StepState step : open)
        {
            newestLeft = step.step() < fromStep ? Math.max(newestLeft, step.step()) : newestLeft;
        }
        for (int i = 0; i < retired.size(); i++)
        {
            if (retired.get(i).fence() >= fromStep)
            {
                retired.set(i, new RetiredBlocks(newestLeft, retired.get(i).blocks()));
            }
        }
        if (newestLeft == 0)
        {
            landed(fromStep);
        }
    }
}
