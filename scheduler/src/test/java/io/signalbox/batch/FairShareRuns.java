// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.Digits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs of tenants that wait all the time. Loaded with mutated classes, too: all it gives back is text. */
public final class FairShareRuns
{
    static final int TURNS = 400;

    private Random random;
    private final FairQueue queue;
    private final int[] weights;
    private final int largest;
    private final TreeMap<Long, Integer> owners = new TreeMap<>();
    private final int[] waiting;
    private long nextId;

    private FairShareRuns(final long configuration)
    {
        random = new Digits(configuration);
        weights = new int[2 + random.nextInt(6)];
        waiting = new int[weights.length];
        largest = 1 + random.nextInt(2_000);
        final TreeMap<String, Integer> byName = new TreeMap<>();
        for (int i = 0; i < weights.length; i++)
        {
            weights[i] = 1 + random.nextInt(10);
            byName.put(name(i), weights[i]);
        }
        queue = new FairQueue(new TenantWeights(byName), weights.length);
        fill();
    }

    private static String name(final int tenant)
    {
        return "tenant-" + tenant;
    }

    /** Runs the seeds from 0 on until one fails; returns a line that names it, or null. */
    public static String firstFailure(final int runs)
    {
        for (int seed = 0; seed < runs; seed++)
        {
            try
            {
                run(Digits.list(seed, 1).get(0), Digits.list(seed, TURNS));
            }
            catch (final RuntimeException | AssertionError e)
            {
                return "seed " + seed + ": " + e;
            }
        }
        return null;
    }

    /** Each tenant is served within one largest request of its share, at every turn. */
    static void run(final long configuration, final List<Long> turns)
    {
        final FairShareRuns run = new FairShareRuns(configuration);
        final int tenants = run.weights.length;
        final long[] served = new long[tenants];
        long sum = 0;
        for (final int weight : run.weights)
        {
            sum += weight;
        }
        long total = 0;
        for (final long turn : turns)
        {
            run.random = new Digits(turn);
            run.offer(run.random.nextInt(3));
            run.fill();
            final Request next = run.queue.take();
            final int owner = run.owners.get(next.id());
            run.waiting[owner]--;
            served[owner] += next.promptTokens();
            total += next.promptTokens();
            for (int i = 0; i < tenants; i++)
            {
                final double share = (double)total * run.weights[i] / sum;
                assertTrue(Math.abs(served[i] - share) <= run.largest + 1, name(i) + " was served " + served[i] +
                    " tokens of " + total + ", its share is " + share + ", the largest request " + run.largest);
            }
        }
    }

    private void fill()
    {
        for (int i = 0; i < waiting.length; i++)
        {
            while (waiting[i] < 4)
            {
                final Request request = new Request(null).reset(++nextId, 1 + random.nextInt(largest), 0, -1)
                    .constraints(-1, false, 0, -1).tenant(TenantWeights.key(name(i)));
                owners.put(request.id(), i);
                queue.add(request);
                waiting[i]++;
            }
        }
    }

    /** Requests are offered and returned, as by a router that has no room for them. */
    private void offer(final int count)
    {
        final long before = queue.digest();
        final List<Request> taken = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            assertEquals(queue.first(), queue.first());
            taken.add(queue.take());
        }
        for (int i = count - 1; i >= 0; i--)
        {
            queue.giveBack(taken.get(i));
        }
        assertEquals(before, queue.digest(), "requests that are returned leave no trace");
    }
}
