// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.Digits;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.Routers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertFalse;

/** A run of a scheduler, whose adversary orders the submits, cancels, completions and faults: a number for each action. */
final class RandomRun
{
    private final long configuration;
    private final boolean faults;
    private final List<String> played = new ArrayList<>();
    private Random random;
    private long nextId = 1;

    RandomRun(final long configuration, final boolean faults)
    {
        this.configuration = configuration;
        this.faults = faults;
    }

    /** Small pools and budgets, because they reach the rare cases most often. */
    SchedulerConfig config()
    {
        random = new Digits(configuration);
        final int blockSize = 1 + random.nextInt(8);
        return SchedulerConfig.builder()
            .ranks(1 + random.nextInt(4))
            .blockSizeTokens(blockSize)
            .kvBlocks(6 + random.nextInt(30))
            .stepTokens(1 + random.nextInt(40))
            .maxRunning(1 + random.nextInt(6))
            .router(router())
            .evictionPolicy(random.nextInt(4) == 0 ? EvictionPolicy.REF_ZERO : EvictionPolicy.LRU)
            .prefixCaching(random.nextInt(8) != 0)
            .capture(new ModelShape(1 + random.nextInt(2), 64, 1 + random.nextInt(3)))
            .digestInterval(1 + random.nextInt(10))
            .build();
    }

    private RouterConfig router()
    {
        if (random.nextInt(3) > 0)
        {
            return Routers.random(Routers.any(random), random);
        }
        // Most prompts exceed this backlog, so requests wait in the queue.
        return RouterConfig.standard().with("rowWeight", 0.01).with("contextWeight", 0.001).with("decodeWeight", 50)
            .with("cachedWeight", 0.01).with("backlog", random.nextInt(60));
    }

    /** The actions that were possible when their turn came. */
    List<String> played()
    {
        return played;
    }

    void play(final SchedulerHarness harness, final List<Long> actions)
    {
        for (final long action : actions)
        {
            random = new Digits(action);
            act(harness);
        }
        if (faults)
        {
            // Resets lost ranks, so that strictly hinted requests can end too.
            harness.reset(actions.size() % 2 == 0);
        }
        harness.run();
    }

    private void act(final SchedulerHarness harness)
    {
        final int choice = random.nextInt(20);
        if (choice < 2)
        {
            played.add("wake");
            harness.wake();
            assertFalse(harness.scheduler.wantsWake(), "one Wake did all that it could, the next would do no more");
        }
        else if (choice < 7)
        {
            submit(harness);
        }
        else if (choice == 7 && nextId > 1)
        {
            final int id = 1 + random.nextInt((int)nextId);
            played.add("cancel " + id);
            harness.cancel(id);
        }
        else if (choice < 11 && faults)
        {
            disturb(harness);
        }
        else if (!harness.inFlight.isEmpty())
        {
            harness.complete(anyInFlight(harness, "complete rank "));
        }
    }

    private void disturb(final SchedulerHarness harness)
    {
        final boolean stepInFlight = !harness.inFlight.isEmpty();
        switch (random.nextInt(10))
        {
            case 0 ->
            {
                played.add("reset the cache");
                harness.resetCache();
            }
            case 1 ->
            {
                final boolean kept = random.nextBoolean();
                played.add("reset all ranks, KV memory kept: " + kept);
                harness.reset(kept);
            }
            case 2, 3 ->
            {
                played.add("tick");
                harness.tickAt(deadline(harness, 0));
            }
            case 4, 5, 6, 7 ->
            {
                if (stepInFlight)
                {
                    harness.fail(anyInFlight(harness, "fail rank "));
                }
            }
            default ->
            {
                if (stepInFlight && harness.config.ranks() > 1)
                {
                    harness.lose(anyInFlight(harness, "lose rank "));
                }
            }
        }
    }

    private static long deadline(final SchedulerHarness harness, final int later)
    {
        return 100_000 + harness.groups.size() * 10L + later;
    }

    private void submit(final SchedulerHarness harness)
    {
        final int blockSize = harness.config.blockSizeTokens();
        final int prompt = 1 + random.nextInt(Math.max(1, harness.config.kvBlocks() * blockSize * 2 / 3));
        if (random.nextInt(10) == 9)
        {
            final int generated = random.nextInt(12);
            final long[] hashes = wildHashes(prompt / blockSize);
            played.add("submit " + nextId + ": prompt " + prompt + ", generate " + generated + ", hashes " +
                Arrays.toString(hashes));
            harness.submitHashed(nextId++, prompt, generated, hashes);
            return;
        }
        final int shared = random.nextInt(1 + prompt / blockSize);
        final int hint = random.nextInt(4) == 3 ? random.nextInt(5) : -1;
        final long deadline = faults && random.nextInt(6) == 5 ? deadline(harness, random.nextInt(400)) : -1;
        final int family = 1 + random.nextInt(3);
        final int generated = random.nextInt(12);
        final boolean relaxed = random.nextBoolean();
        played.add("submit " + nextId + ": prompt " + prompt + ", generate " + generated + ", " + shared +
            " blocks shared of family " + family + (hint < 0 ? "" : ", rank " + hint + (relaxed ? " if possible" : "")) +
            (deadline < 0 ? "" : ", deadline " + deadline));
        harness.submit(nextId++, family, shared, prompt, generated,
            new SchedulerHarness.Options(hint, relaxed, deadline, 0));
    }

    /** Hashes that no correct client sends: repeated, unchained and out of range. */
    private long[] wildHashes(final int blocks)
    {
        final int least = random.nextInt(20) == 0 ? -2 : 1;
        return LongStream.generate(() -> least + random.nextInt(6 - least)).limit(blocks).toArray();
    }

    private int anyInFlight(final SchedulerHarness harness, final String action)
    {
        final List<Integer> ranks = new ArrayList<>(harness.inFlight.keySet());
        final int rank = ranks.get(random.nextInt(ranks.size()));
        played.add(action + rank);
        return rank;
    }
}
