// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.kv.EvictionPolicy;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The running sums that routers read, against a recount over the requests, behind every change of a planner. */
class RankLoadPropertyTest
{
    private static final int BLOCK = 4;

    private final StepPlan plan = new StepPlan();
    private final StepCommit commit = new StepCommit(BLOCK, null);

    private static void assertRecounted(final BatchPlanner planner, final List<Request> active)
    {
        long prompt = 0;
        long uncached = 0;
        long pending = 0;
        long context = 0;
        for (final Request request : active)
        {
            prompt += request.promptTokens();
            uncached += Math.max(request.promptTokens() - request.cachedTokens, 0);
            pending += Math.max(request.promptTokens() - request.computedTokens, 0);
            context += request.stage() == Request.Stage.RUNNING ? request.computedTokens : 0;
        }
        assertEquals(prompt, planner.promptTokens(), "prompt tokens");
        assertEquals(uncached, planner.uncachedTokens(), "uncached tokens");
        assertEquals(pending, planner.pendingPrefillTokens(), "pending prefill tokens");
        assertEquals(context, planner.contextTokens(), "context tokens");
        assertEquals(active.size(), planner.activeRequests());
    }

    private static Request request(final Random random, final long id)
    {
        final int prompt = 1 + random.nextInt(24);
        final Request request = new Request(null).reset(id, prompt, random.nextInt(12), -1, -1).admission(-1, false, 0, -1);
        final long family = random.nextInt(3) * 1000L;
        for (int i = 0; i < prompt / BLOCK; i++)
        {
            request.addBlockHash(1 + family + i);
        }
        return request;
    }

    private void step(final BatchPlanner planner, final List<Request> active)
    {
        planner.plan(plan);
        assertRecounted(planner, active);
        commit.apply(plan, planner, new int[plan.rowCount()], null, 0);
        assertRecounted(planner, active);
        for (int row = 0; row < plan.rowCount(); row++)
        {
            if (commit.outcome(row) != StepCommit.Outcome.CONTINUES)
            {
                planner.remove(plan.rowRequest(row));
                active.remove(plan.rowRequest(row));
                assertRecounted(planner, active);
            }
        }
    }

    private static void loseTheRank(final BatchPlanner planner, final List<Request> active, final Random random)
    {
        planner.requeueRunning((request, blocks) ->
        {
        });
        assertRecounted(planner, active);
        if (random.nextBoolean())
        {
            planner.evacuate(new RequestQueue());
            active.clear();
            assertRecounted(planner, active);
        }
    }

    @Property(tries = 500)
    void theSumsAreThoseOfTheRequestsBehindEveryChange(@ForAll final long seed)
    {
        final Random random = new Random(seed);
        // Few blocks: preemption is common.
        final BatchPlanner planner = new BatchPlanner(
            0, 12, BLOCK, EvictionPolicy.LRU, random.nextInt(4) != 0, 6, 1 + random.nextInt(20), null);
        final List<Request> active = new ArrayList<>();
        for (int i = 0; i < 120; i++)
        {
            final int choice = random.nextInt(20);
            if (choice < 6)
            {
                final Request request = request(random, i);
                planner.place(request, planner.matchedTokens(request));
                active.add(request);
            }
            else if (choice == 6 && !active.isEmpty())
            {
                planner.remove(active.remove(random.nextInt(active.size())));
            }
            else if (choice == 7)
            {
                loseTheRank(planner, active, random);
            }
            else if (planner.hasWork())
            {
                step(planner, active);
            }
            assertRecounted(planner, active);
        }
    }
}
