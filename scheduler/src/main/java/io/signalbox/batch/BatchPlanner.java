// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

/**
 * Decides which tokens of which requests one DP rank computes in its next step. Each request closes the gap between its
 * known and its computed tokens. One token budget serves the running requests first, in order of admission, then the
 * waiting ones in queue order. When KV blocks run out, the planner preempts the request that was admitted last: it
 * releases all its blocks and is recomputed later. The policy follows vLLM's scheduler.
 */
public final class BatchPlanner
{
    private final RankBlocks blocks;
    private final RankLoad load;
    private final int maxRunning;
    private final int stepTokens;

    private final RequestQueue running = new RequestQueue();
    private final RequestQueue waiting = new RequestQueue();
    private int budget;

    /**
     * @param load       updated with every change.
     * @param maxRunning largest number of requests that run at a time.
     * @param stepTokens token budget of a step.
     */
    public BatchPlanner(final RankBlocks blocks, final RankLoad load, final int maxRunning, final int stepTokens)
    {
        this.blocks = blocks;
        this.load = load;
        this.maxRunning = maxRunning;
        this.stepTokens = stepTokens;
        blocks.allocator().requestBlocks(new RunningBlocks(running));
    }

    public boolean hasWork()
    {
        return !running.isEmpty() || !waiting.isEmpty();
    }

    /** Digest of the order of the requests and the cache generation. */
    public long digest()
    {
        return StateDigest.mix(running.digest(), waiting.digest(), blocks.generation());
    }

    /**
     * Accepts a request that the router placed on this rank.
     *
     * @param cachedTokens prompt tokens that the router knew to be cached on the rank.
     */
    public void place(final Request request, final int cachedTokens)
    {
        request.placed(blocks.rank(), cachedTokens);
        load.add(request);
        waiting.addByPriority(request);
    }

    /** Fills the plan of the next step, with one entry for each running request; there must be work. */
    public void plan(final StepPlan plan)
    {
        plan.clear();
        blocks.begin(plan);
        budget = stepTokens;
        continueRunning(plan);
        if (plan.preemptedCount() == 0)
        {
            admitWaiting(plan);
        }
        if (plan.entryCount() != running.size() || plan.entryCount() == 0)
        {
            throw new InvariantViolation("rank " + blocks.rank() + " plans " + plan.entryCount() + " entries for " +
                running.size() + " running and " + waiting.size() + " waiting requests; " + blocks.allocator());
        }
    }

    private void continueRunning(final StepPlan plan)
    {
        for (int i = 0; i < running.size() && budget > 0; i++)
        {
            final Request request = running.get(i);
            final int tokens = Math.min(request.knownTokens() - request.computedTokens, budget);
            if (!growOrPreempt(plan, request, request.computedTokens + tokens))
            {
                break;
            }
            addEntry(plan, request, tokens);
        }
    }

    /** Preempts running requests, last one first, until the blocks suffice; false if that includes the request itself. */
    private boolean growOrPreempt(final StepPlan plan, final Request request, final int tokens)
    {
        while (!blocks.grow(request, tokens))
        {
            final Request victim = running.removeLast();
            plan.addPreempted(victim, victim.blockCount);
            giveUpBlocks(victim);
            if (victim == request)
            {
                return false;
            }
        }
        return true;
    }

    /** Puts the request at the front of the waiting queue. */
    private void giveUpBlocks(final Request request)
    {
        blocks.release(request);
        request.blockCount = 0;
        load.startOver(request);
        request.preempted();
        waiting.addFirst(request);
    }

    private void admitWaiting(final StepPlan plan)
    {
        while (!waiting.isEmpty() && running.size() < maxRunning && budget > 0)
        {
            final Request request = waiting.first();
            final int matched = blocks.match(request);
            if (!blocks.fits(request, matched))
            {
                break;
            }
            waiting.removeFirst();
            running.addLast(request);
            admit(plan, request, matched);
        }
    }

    private void admit(final StepPlan plan, final Request request, final int matched)
    {
        blocks.share(request, matched);
        final int start = blocks.tokensOf(matched);
        load.start(request, start);
        request.stage(Request.Stage.RUNNING);
        plan.addAdmitted(request, matched, request.isResumed());
        final int tokens = Math.min(request.knownTokens() - start, budget);
        if (!blocks.grow(request, start + tokens))
        {
            throw new InvariantViolation("request " + request.id() + " was admitted without room for it: " +
                blocks.allocator());
        }
        addEntry(plan, request, tokens);
    }

    private void addEntry(final StepPlan plan, final Request request, final int tokens)
    {
        plan.addEntry(request, request.computedTokens, tokens);
        budget -= tokens;
        request.inFlight = true;
        blocks.layOut(request, request.computedTokens, request.computedTokens + tokens);
    }

    /** Removes a request that has ended or returns to the queue, and releases its blocks. */
    public void remove(final Request request)
    {
        if (request.stage() == Request.Stage.RUNNING)
        {
            running.remove(request);
            blocks.release(request);
        }
        else
        {
            waiting.remove(request);
        }
        load.remove(request);
    }

    /**
     * Handles a step in flight that will never complete: its requests start over, in their order, ahead of the waiting
     * ones. These are all running requests, because each has at least one token in every step.
     */
    public void requeueRunning(final RequeueListener listener)
    {
        while (!running.isEmpty())
        {
            final Request request = running.removeLast();
            request.inFlight = false;
            listener.onRequeue(request, request.blockCount());
            giveUpBlocks(request);
        }
    }

    /** Returns every active request, in order, for placement on another rank. */
    public void evacuate(final RequestQueue destination)
    {
        while (!waiting.isEmpty())
        {
            final Request request = waiting.removeLast();
            load.remove(request);
            request.unplaced();
            destination.addFirst(request);
        }
    }
}
