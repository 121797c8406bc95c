// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.signalbox.kv.AllocatorProfile;

import java.util.List;

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
        final TraceWalk walk = new TraceWalk("i", true, new Calls(profile(header.path("profile").asText())));
        walk.walk(header, records);
        return walk.outcome(List.of());
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
        private RecordedAllocator allocator;

        private Calls(final AllocatorProfile profile)
        {
            this.profile = profile;
        }

        @Override
        public void begin(final TraceRecord init)
        {
            allocator = new RecordedAllocator(profile, init);
        }

        @Override
        public void next(final TraceRecord record)
        {
            allocator.replay(record);
        }

        /** Any call can be the last: nothing in an allocator trace says where it ends. */
        @Override
        public void end()
        {
        }
    }
}
