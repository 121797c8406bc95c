// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.Routers;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertFalse;

/** A seeded run of a scheduler; a random adversary orders the submits, cancels, completions and faults. */
final class RandomRun
{
    private final Random random;
    private final boolean faults;
    private long nextId = 1;
    private int epoch;

    RandomRun(final long seed, final boolean faults)
    {
        random = new Random(seed);
        this.faults = faults;
    }

    /** Small pools and budgets, because they reach the rare cases most often. */
    SchedulerConfig config()
    {
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

    void play(final SchedulerHarness harness, final int actions)
    {
        for (int i = 0; i < actions; i++)
        {
            act(harness);
        }
        if (faults)
        {
            // Resets lost ranks, so that strictly hinted requests can end too.
            harness.reset(++epoch, random.nextBoolean());
        }
        harness.drain();
    }

    private void act(final SchedulerHarness harness)
    {
        final int choice = random.nextInt(20);
        if (choice < 5)
        {
            submit(harness);
        }
        else if (choice < 7)
        {
            harness.wake();
            assertFalse(harness.scheduler.wantsWake(), "one Wake did all that it could, the next would do no more");
        }
        else if (choice == 7 && nextId > 1)
        {
            harness.cancel(1 + random.nextInt((int)nextId));
        }
        else if (choice < 11 && faults)
        {
            disturb(harness);
        }
        else if (!harness.inFlight.isEmpty())
        {
            harness.complete(anyInFlight(harness));
        }
    }

    private void disturb(final SchedulerHarness harness)
    {
        final boolean stepInFlight = !harness.inFlight.isEmpty();
        switch (random.nextInt(10))
        {
            case 0 -> harness.control(ControlKind.CACHE_RESET, -1);
            case 1 -> harness.reset(++epoch, random.nextBoolean());
            case 2, 3 -> harness.tick(deadline(harness, 0));
            case 4, 5, 6, 7 ->
            {
                if (stepInFlight)
                {
                    harness.fault(anyInFlight(harness), FaultClass.STEP_FAILED);
                }
            }
            default ->
            {
                if (stepInFlight && harness.config.ranks() > 1)
                {
                    harness.fault(anyInFlight(harness), FaultClass.RANK_LOST);
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
        if (random.nextInt(10) == 0)
        {
            harness.submitHashed(nextId++, prompt, random.nextInt(12), wildHashes(prompt / blockSize));
            return;
        }
        final int shared = random.nextInt(1 + prompt / blockSize);
        final int hint = random.nextInt(4) == 0 ? random.nextInt(5) : -1;
        final long deadline = faults && random.nextInt(6) == 0 ? deadline(harness, random.nextInt(400)) : -1;
        harness.submit(
            nextId++, 1 + random.nextInt(3), shared, prompt, random.nextInt(12), hint, random.nextBoolean(), deadline);
    }

    /** Hashes that no correct client sends: repeated, unchained and out of range. */
    private long[] wildHashes(final int blocks)
    {
        return random.longs(blocks, random.nextInt(20) == 0 ? -2 : 1, 6).toArray();
    }

    private int anyInFlight(final SchedulerHarness harness)
    {
        final List<Integer> ranks = new ArrayList<>(harness.inFlight.keySet());
        return ranks.get(random.nextInt(ranks.size()));
    }
}
