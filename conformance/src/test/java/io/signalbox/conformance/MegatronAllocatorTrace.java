// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.signalbox.conformance.megatron.AllocatorProfile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Traces of single calls to the block allocator, with the whole state behind each. */
final class MegatronAllocatorTrace implements TraceRunner
{
    @Override
    public String format()
    {
        return "megatron-allocator-trace/1";
    }

    @Override
    public Outcome run(final JsonNode header, final Iterable<JsonNode> records)
    {
        final Calls calls = new Calls(profile(header.path("profile").asText()));
        final TraceWalk walk = new TraceWalk("i", true, calls);
        walk.walk(header, records);
        return walk.outcome(remarks(calls.besides));
    }

    /** How far the engine's own allocator came, and why it parted from the recorded one. */
    private static List<String> remarks(final List<ProductionBeside> besides)
    {
        if (besides.isEmpty())
        {
            return List.of();
        }
        final Map<String, Integer> partings = new TreeMap<>();
        besides.stream().map(ProductionBeside::parted).filter(Objects::nonNull)
            .forEach(why -> partings.merge(why, 1, Integer::sum));
        return List.of(besides.stream().mapToInt(ProductionBeside::compared).sum() +
            " calls have the same result in the engine's allocator; traces in which it then parts: " + partings);
    }

    private static AllocatorProfile profile(final String name)
    {
        return switch (name)
        {
            case "2026-05" -> AllocatorProfile.MEGATRON_2026_05;
            case "2026-08" -> AllocatorProfile.MEGATRON_2026_08;
            default -> throw new IllegalArgumentException("profile \"" + name + "\" is neither 2026-05 nor 2026-08");
        };
    }

    private static final class Calls implements TraceWalk.Replay
    {
        private final AllocatorProfile profile;
        private final List<ProductionBeside> besides = new ArrayList<>();
        private RecordedAllocator allocator;

        private Calls(final AllocatorProfile profile)
        {
            this.profile = profile;
        }

        @Override
        public void begin(final TraceRecord init)
        {
            allocator = new RecordedAllocator(profile, init);
            if (allocator.beside() != null)
            {
                besides.add(allocator.beside());
            }
        }

        @Override
        public void next(final TraceRecord record)
        {
            allocator.replay(record);
        }

        /** Any call can be the last: nothing in an allocator trace tells its length. */
        @Override
        public void end()
        {
        }
    }
}
