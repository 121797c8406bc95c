// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.signalbox.conformance.megatron.AllocatorProfile;
import io.signalbox.conformance.megatron.ContractKvBlocks;
import io.signalbox.conformance.megatron.KvBlockPool;
import io.signalbox.conformance.megatron.MegatronFailure;
import io.signalbox.conformance.megatron.MegatronKvBlocks;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockConfig;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The engine's allocator decides as Megatron Core's does, up to the points at which the two part. */
class ProductionBesidePropertyTest
{
    private static final int CALLS = 80;
    private static final int MOST_BLOCKS = 5;

    /** The outcomes of random runs, to show that each one occurs. */
    private static final class Reached
    {
        private final Map<String, Integer> times = new TreeMap<>();

        private void note(final String what)
        {
            times.merge(what, 1, Integer::sum);
        }
    }

    /** A request as an engine makes it, and now and then a call that no engine makes. */
    private static final class Run
    {
        private Random random;
        private final KvBlockConfig config;
        private final MegatronKvBlocks recorded;
        private final ProductionBeside beside;
        private final List<List<?>> notices = new ArrayList<>();
        private final List<int[]> tables = new ArrayList<>();
        private final Reached reached;
        private final int wild;
        private long clock;

        private Run(final long configuration, final KvBlockPool.Maker maker, final Reached reached)
        {
            random = new Random(configuration);
            this.reached = reached;
            final KvBlockConfig plain = KvBlockConfig.of(3 + random.nextInt(20));
            config = switch (random.nextInt(4))
            {
                case 0 -> plain;
                case 1 -> plain.withPrefixCaching(EvictionPolicy.REF_ZERO);
                default -> plain.withPrefixCaching(EvictionPolicy.LRU);
            };
            // Half of the runs stay together to their end.
            wild = random.nextBoolean() ? Integer.MAX_VALUE : 12;
            recorded = new MegatronKvBlocks(config, AllocatorProfile.MEGATRON_2026_08, null);
            PoolCalls.noteDeregistered(recorded, notices);
            beside = new ProductionBeside(maker.make(config, null), config, recorded, null);
        }

        /** A number decides on all that a call does. */
        private void run(final List<Long> calls)
        {
            for (int i = 0; i < calls.size() && beside.parted() == null; i++)
            {
                random = new Random(calls.get(i));
                if (wild != Integer.MAX_VALUE && random.nextInt(wild) == 0)
                {
                    wildCall();
                }
                else
                {
                    call();
                }
                if (beside.hasCachedParent())
                {
                    reached.note("cached parent");
                }
            }
            reached.note(beside.parted() == null ? "together" : beside.parted());
        }

        private void call()
        {
            switch (random.nextInt(8))
            {
                case 0, 1, 2 -> admit();
                case 3 -> release();
                case 4 -> call("clock", args().put("value", ++clock));
                case 5 -> call("evict", args().put("n", random.nextInt(3)));
                case 6 -> call("available", args().put("n", random.nextInt(8)).put("matched", 0));
                default -> touchOrReset();
            }
        }

        private void touchOrReset()
        {
            if (random.nextInt(10) == 0)
            {
                call("reset", args());
                tables.clear();
            }
            else
            {
                call("touch", ids(args(), new int[]{random.nextInt(config.poolSize() - 1)}));
            }
        }

        /** Longest match, references to it, blocks for the rest, and their names; prefixes of three families branch. */
        private void admit()
        {
            final int length = 1 + random.nextInt(MOST_BLOCKS);
            final long[] hashes = hashes(random.nextInt(3), random.nextInt(MOST_BLOCKS), length);
            final List<Integer> table = new ArrayList<>();
            if (config.prefixCaching())
            {
                final ObjectNode match = args().put("start", 0).put("end", length);
                match.set("hashes", array(hashes));
                final Object found = call("match", match);
                if (found == null)
                {
                    reached.note("broken prefix");
                    return;
                }
                ((List<?>)((Map<?, ?>)found).get("ids")).forEach(id -> table.add(Math.toIntExact((Long)id)));
                call("retain", ids(args(), ints(table)));
            }
            final int matched = table.size();
            final Object blocks = call("alloc", args().put("n", length - matched));
            if (blocks != null)
            {
                ((List<?>)blocks).forEach(id -> table.add(Math.toIntExact((Long)id)));
                if (config.prefixCaching())
                {
                    register(ints(table), hashes);
                }
            }
            tables.add(ints(table));
        }

        private void register(final int[] blocks, final long[] hashes)
        {
            final long[] parents = new long[hashes.length];
            System.arraycopy(hashes, 0, parents, 1, hashes.length - 1);
            final ObjectNode registration = ids(args(), blocks);
            registration.set("hashes", array(hashes));
            registration.set("parents", array(parents));
            call("register", registration);
        }

        private static long[] hashes(final int family, final int branch, final int length)
        {
            final long[] hashes = new long[length];
            Arrays.setAll(hashes, i -> 1 + i + 100L * family + (i > branch ? 10L * (1 + branch) : 0));
            return hashes;
        }

        private void release()
        {
            if (!tables.isEmpty())
            {
                final int[] table = tables.remove(random.nextInt(tables.size()));
                // Part of a table goes before the rest, so that a parent can be without an owner before its child.
                final int first = random.nextInt(table.length + 1);
                call("release", ids(args(), Arrays.copyOf(table, first)));
                call("release", ids(args(), Arrays.copyOfRange(table, first, table.length)));
            }
        }

        private void wildCall()
        {
            final int[] blocks = {random.nextInt(config.poolSize() - 1), random.nextInt(config.poolSize() - 1)};
            final long hash = 1 + random.nextInt(5);
            switch (config.prefixCaching() ? random.nextInt(4) : 3)
            {
                case 0 -> register(new int[]{blocks[0]}, new long[]{hash});
                case 1 ->
                {
                    final ObjectNode registration = ids(args(), blocks);
                    registration.set("hashes", array(900 + hash, 910 + hash));
                    registration.set("parents", array(910 + hash, 0));
                    call("register", registration);
                }
                case 2 -> call("retain", ids(args(), blocks));
                default -> call("clock", args().put("value", Math.max(0, clock - 1)));
            }
        }

        private Object call(final String operation, final ObjectNode args)
        {
            final ObjectNode json = args().put("op", operation);
            json.set("args", args);
            final TraceRecord record = TraceRecord.of(json);
            notices.clear();
            beside.lookAhead(record);
            Object returned = null;
            String error = null;
            try
            {
                returned = PoolCalls.call(recorded, operation, record.record("args"));
            }
            catch (final MegatronFailure e)
            {
                error = e.kind().original();
                reached.note(error);
            }
            beside.follow(record, error, returned, notices);
            return returned;
        }

        private static ObjectNode args()
        {
            return JsonNodeFactory.instance.objectNode();
        }

        private static ObjectNode ids(final ObjectNode args, final int[] blocks)
        {
            args.set("ids", array(Arrays.stream(blocks).asLongStream().toArray()));
            return args;
        }

        private static ArrayNode array(final long... values)
        {
            final ArrayNode array = JsonNodeFactory.instance.arrayNode();
            Arrays.stream(values).forEach(array::add);
            return array;
        }

        private static int[] ints(final List<Integer> values)
        {
            return values.stream().mapToInt(value -> value).toArray();
        }
    }

    @Property
    void decidesAsRecordedUntilTheTwoPart(
        @ForAll final long configuration, @ForAll @Size(max = CALLS) final List<Long> calls)
    {
        new Run(configuration, ContractKvBlocks::new, new Reached()).run(calls);
    }

    private static List<Long> calls(final long seed)
    {
        return new Random(~seed).longs(CALLS).boxed().toList();
    }

    /** The property says little about what its runs do not reach. */
    @Test
    void shouldReachEveryPointAtWhichTheTwoPart()
    {
        final Reached reached = new Reached();
        for (int seed = 0; seed < 2000; seed++)
        {
            new Run(seed, ContractKvBlocks::new, reached).run(calls(seed));
        }
        for (final String point : List.of(ProductionBeside.TWO_BLOCKS, ProductionBeside.PARENT_AFTER_CHILD,
            ProductionBeside.FREE_BLOCK, ProductionBeside.CLOCK, "cached parent", "together", "AssertionError"))
        {
            assertTrue(reached.times.getOrDefault(point, 0) >= 20, point + ": " + reached.times);
        }
    }

    /** The property must find an allocator that frees, counts and evicts as in May 2026. */
    @Test
    void shouldFindAnAllocatorThatDecidesOtherwise()
    {
        final KvBlockPool.Maker older = (config, listener) ->
            new MegatronKvBlocks(config, AllocatorProfile.MEGATRON_2026_05, listener);
        int found = 0;
        for (int seed = 0; seed < 200; seed++)
        {
            final int of = seed;
            found += isFound(() -> new Run(of, older, new Reached()).run(calls(of))) ? 1 : 0;
        }
        assertTrue(found > 80, "found in " + found + " of 200 runs");
    }

    private static boolean isFound(final Runnable run)
    {
        try
        {
            run.run();
            return false;
        }
        catch (final Divergence e)
        {
            return true;
        }
    }

    @Test
    void shouldHoldForEveryRecordedCallOfAugust() throws Exception
    {
        final List<JsonNode> lines = VectorFiles.read(Path.of(ProductionBesidePropertyTest.class
            .getResource("/conformance/megatron/allocator-2026-08.jsonl.gz").toURI()));
        final Outcome outcome = new MegatronAllocatorTrace().run(lines.get(0), lines.subList(1, lines.size()));
        final long traces = lines.stream().filter(line -> line.path("op").asText().equals("init")).count();
        assertEquals(List.of(outcome.records() - traces + " calls have the same result in the engine's allocator; " +
            "traces in which it then parts: {}"), outcome.remarks());
    }

    @Test
    void shouldNotTakeACallThatOnlyOneRefuses()
    {
        final Run run = new Run(1, ContractKvBlocks::new, new Reached());
        final TraceRecord lookup =
            TraceRecord.of(Run.args().put("op", "lookup").set("args", Run.args().put("hash", 7)));
        assertThrows(Divergence.class, () -> run.beside.follow(lookup, "KeyError", null, List.of()));
    }
}
