// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.router.RouterPolicy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A seeded run of a scheduler under an adversary who picks the order of submits, cancels, completions and faults. */
final class RandomRun
{
    private final Random random;
    private final boolean faults;
    private long nextId = 1;

    RandomRun(final long seed, final boolean faults)
    {
        random = new Random(seed);
        this.faults = faults;
    }

    /** Small pools and budgets: they meet the rare cases most often. */
    SchedulerConfig config()
    {
        final int blockSize = 1 + random.nextInt(8);
        return SchedulerConfig.builder()
            .ranks(1 + random.nextInt(4))
            .blockSizeTokens(blockSize)
            .kvBlocks(6 + random.nextInt(30))
            .stepTokens(1 + random.nextInt(40))
            .maxRunning(1 + random.nextInt(6))
            .router(random.nextBoolean() ? RouterPolicy.KV_AWARE : RouterPolicy.LOAD_BALANCED)
            .beta(random.nextInt(3) * 0.5)
            .evictionPolicy(random.nextInt(4) == 0 ? EvictionPolicy.REF_ZERO : EvictionPolicy.LRU)
            .prefixCaching(random.nextInt(8) != 0)
            .capture(new ModelShape(1 + random.nextInt(2), 64, 1 + random.nextInt(3)))
            .digestInterval(1 + random.nextInt(10))
            .build();
    }

    void play(final SchedulerHarness harness, final int actions)
    {
        for (int i = 0; i < actions; i++)
        {
            act(harness);
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
        }
        else if (choice == 7 && nextId > 1)
        {
            harness.cancel(1 + random.nextInt((int)nextId));
        }
        else if (choice == 8 && faults && !harness.inFlight.isEmpty())
        {
            harness.fault(anyInFlight(harness), FaultClass.STEP_FAILED);
        }
        else if (choice == 9 && faults && random.nextInt(4) == 0)
        {
            harness.control(ControlKind.CACHE_RESET, -1);
        }
        else if (!harness.inFlight.isEmpty())
        {
            harness.complete(anyInFlight(harness));
        }
    }

    private void submit(final SchedulerHarness harness)
    {
        final int blockSize = harness.config.blockSizeTokens();
        final int prompt = 1 + random.nextInt(Math.max(1, harness.config.kvBlocks() * blockSize * 2 / 3));
        final int shared = random.nextInt(1 + prompt / blockSize);
        harness.submit(nextId++, 1 + random.nextInt(3), shared, prompt, random.nextInt(12));
    }

    private int anyInFlight(final SchedulerHarness harness)
    {
        final List<Integer> ranks = new ArrayList<>(harness.inFlight.keySet());
        return ranks.get(random.nextInt(ranks.size()));
    }
}
