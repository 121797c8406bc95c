// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Shards that begin at the same time in one directory, as the pods of a job do. */
@Tag("threads")
@Timeout(60)
class SweepStartTest
{
    private static final int SHARDS = 4;
    private static final int ROUNDS = 100;
    private static final List<SweepCell> CELLS =
        SweepPlanTest.plan(Map.of("kv-blocks", List.of("9", "17", "33", "65")), 0, Map.of()).cells();

    @TempDir
    private Path place;

    /** The plans that the directory holds, by shard; the sentence of the refusal if it refused the shard. */
    private static List<String> begin(final Path directory, final List<String> plans) throws Exception
    {
        final CyclicBarrier start = new CyclicBarrier(SHARDS);
        final ExecutorService threads = Executors.newFixedThreadPool(SHARDS);
        final List<Future<String>> ends = new ArrayList<>();
        for (int i = 0; i < SHARDS; i++)
        {
            final int shard = i;
            ends.add(threads.submit(() ->
            {
                start.await();
                try (SweepDirectory opened =
                    SweepDirectory.open(directory, plans.get(shard), CELLS, new SweepShard(shard, SHARDS)))
                {
                    return opened.runs().isEmpty() ? SweepDirectory.plan(directory) : "results of another shard";
                }
                catch (final ConfigException e)
                {
                    return e.getMessage();
                }
            }));
        }
        threads.shutdown();
        final List<String> held = new ArrayList<>();
        for (final Future<String> end : ends)
        {
            held.add(end.get());
        }
        return held;
    }

    @Test
    void shouldLetAllShardsOfAPlanBegin() throws Exception
    {
        for (int i = 0; i < ROUNDS; i++)
        {
            assertEquals(List.of("a", "a", "a", "a"), begin(place.resolve("same" + i), List.of("a", "a", "a", "a")));
        }
    }

    @Test
    void shouldLetOnePlanBegin() throws Exception
    {
        for (int i = 0; i < ROUNDS; i++)
        {
            final List<String> held = begin(place.resolve("other" + i), List.of("a", "b", "c", "d"));
            assertEquals(1, held.stream().filter(each -> each.length() == 1).count(), held.toString());
            assertEquals(SHARDS - 1, held.stream().filter(each -> each.contains("holds another sweep")).count(),
                held.toString());
        }
    }
}
