// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.Digits;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.RankPrefixIndex;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Checks the load that routers read after every change of a planner: the running sums against a recount over the
 * requests, and the index over all ranks against the rank's pool.
 */
class RankLoadPropertyTest
{
    private static final int BLOCK = 4;
    private static final int MAX_PROMPT = 24;
    private static final int FAMILIES = 3;
    /** Not the first rank, so that a mixed-up rank is noticed. */
    private static final int RANK = 2;

    private final StepPlan plan = new StepPlan();
    private final StepCommit commit = new StepCommit(null, null);
    private final int[] matched = new int[RANK + 1];
    private long steps;
    private RankLoad load;
    private BatchRules rules;
    private RankPrefixIndex index;
    private RankBlocks blocks;

    private void assertRecounted(final List<Request> active)
    {
        long prompt = 0;
        long uncached = 0;
        long pending = 0;
        long context = 0;
        final List<Integer> longPrefills = new ArrayList<>();
        for (final Request request : active)
        {
            prompt += request.promptTokens();
            uncached += Math.max(request.promptTokens() - request.cachedTokens, 0);
            final int spared = request.computedTokens > 0 ? request.computedTokens : request.cachedTokens;
            final int left = Math.max(request.promptTokens() - spared, 0);
            pending += left;
            if (rules.longPrefillTokens() > 0 && left > rules.longPrefillTokens())
            {
                longPrefills.add(left);
            }
            context += request.stage() == Request.Stage.RUNNING ? request.computedTokens : 0;
        }
        assertEquals(prompt, load.promptTokens(), "prompt tokens");
        assertEquals(uncached, load.uncachedTokens(), "uncached tokens");
        assertEquals(pending, load.pendingPrefillTokens(), "pending prefill tokens");
        assertEquals(context, load.contextTokens(), "context tokens");
        assertEquals(active.size(), load.activeRequests());
        assertEquals(longPrefills.size(), load.longPrefills(), "long prefills");
        assertEquals(longPrefills.stream().mapToLong(left -> left).sum() -
            (long)Math.min(longPrefills.size(), rules.maxLongPrefills()) * rules.longPrefillTokens(),
            load.deferredPrefillTokens(), "deferred prefill tokens");
        assertEquals(blocks.allocator().hashCount(), index.size(), "indexed hashes");
        for (int family = 0; family < FAMILIES; family++)
        {
            for (int i = 0; i < MAX_PROMPT / BLOCK; i++)
            {
                final long hash = hash(family, i);
                assertEquals(blocks.allocator().find(hash) != KvBlockAllocator.NO_BLOCK, index.contains(hash, RANK));
            }
        }
    }

    /** One token for each entry that samples, from its planned start. */
    private record SampledOnce(StepPlan plan) implements StepOutput
    {
        @Override
        public boolean hasLogprobs()
        {
            return false;
        }

        @Override
        public int logprobBits(final int index)
        {
            throw new AssertionError("there are none");
        }

        @Override
        public int start(final int entry)
        {
            return plan.entryStart(entry);
        }

        @Override
        public int accepted(final int entry)
        {
            return plan.samples(entry) ? 1 : 0;
        }

        @Override
        public int token(final int index)
        {
            return 0;
        }

        @Override
        public DirectBuffer rows()
        {
            return null;
        }

        @Override
        public int rowsOffset()
        {
            return 0;
        }

        @Override
        public int impossibleCount()
        {
            return 0;
        }

        @Override
        public int impossibleRow(final int index)
        {
            return -1;
        }
    }

    private static long hash(final int family, final int block)
    {
        return 1 + family * 1000L + block;
    }

    private static Request request(final Random random, final long id)
    {
        final int prompt = 1 + random.nextInt(MAX_PROMPT);
        final Request request =
            new Request(null).reset(id, prompt, random.nextInt(12), -1).constraints(-1, false, 0, -1);
        final int family = random.nextInt(FAMILIES);
        for (int i = 0; i < prompt / BLOCK; i++)
        {
            request.prefix().addPromptBlock(hash(family, i));
        }
        return request;
    }

    private void step(final BatchPlanner planner, final List<Request> active)
    {
        planner.plan(plan, ++steps);
        assertRecounted(active);
        commit.apply(plan, blocks, load, new SampledOnce(plan));
        planner.landed(plan);
        assertRecounted(active);
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            if (commit.outcome(entry) != StepCommit.Outcome.CONTINUES)
            {
                planner.remove(plan.entryRequest(entry));
                active.remove(plan.entryRequest(entry));
                assertRecounted(active);
            }
        }
    }

    private void loseTheRank(final BatchPlanner planner, final List<Request> active, final Random random)
    {
        planner.plan(plan, ++steps);
        blocks.withdrawn(plan);
        planner.withdraw(steps);
        planner.withdrawAll();
        assertRecounted(active);
        if (random.nextBoolean())
        {
            planner.evacuate(new FirstComeQueue());
            active.clear();
            assertRecounted(active);
        }
    }

    @Provide
    Arbitrary<Long> numbers()
    {
        return Digits.numbers();
    }

    @Provide
    Arbitrary<List<Long>> actions()
    {
        return Digits.lists(120);
    }

    @Property(tries = 500)
    void theSumsAreThoseOfTheRequestsBehindEveryChange(
        @ForAll("numbers") final long configuration, @ForAll("actions") final List<Long> actions)
    {
        configure(new Digits(configuration));
        final BatchPlanner planner = new BatchPlanner(blocks, load, rules, (request, preempted) -> { });
        final List<Request> active = new ArrayList<>();
        for (int i = 0; i < actions.size(); i++)
        {
            act(planner, active, i, new Digits(actions.get(i)));
            assertRecounted(active);
        }
    }

    private void configure(final Random random)
    {
        // Few blocks: preemption is common.
        blocks = new RankBlocks(
            RANK, 12, BLOCK, EvictionPolicy.values()[random.nextInt(2)], random.nextInt(4) != 0,
            random.nextBoolean(), null);
        rules = BatchRules.plain(6, 1 + random.nextInt(20))
            .withPressure(random.nextInt(2) * random.nextInt(12), random.nextInt(4))
            .withAdmission(AdmissionPromise.values()[random.nextInt(2)], random.nextInt(3))
            .withLongPrefills(random.nextInt(2) * 5, 1 + random.nextInt(2))
            .withSuspectTurns(random.nextBoolean());
        load = new RankLoad(rules);
        steps = 0;
        index = new RankPrefixIndex(RANK + 1);
        blocks.indexPrefixes(index);
    }

    private void act(final BatchPlanner planner, final List<Request> active, final long id, final Random random)
    {
        final int choice = random.nextInt(60);
        if (choice < 18)
        {
            final Request request = request(random, id);
            index.longestMatches(request.prefix().values(), blocks.matchableBlocks(request), matched);
            planner.place(request, matched[RANK] * BLOCK);
            active.add(request);
        }
        else if (choice < 21 && !active.isEmpty())
        {
            planner.remove(active.remove(random.nextInt(active.size())));
        }
        else if (choice == 21)
        {
            blocks.forgetPrefixes(blocks.generation() + 1);
        }
        else if (choice < 24)
        {
            loseTheRank(planner, active, random);
        }
        else if (planner.hasWork())
        {
            step(planner, active);
        }
    }
}
