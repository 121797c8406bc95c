// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.signalbox.kv.AllocatorProfile;

import java.util.ArrayList;
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
        final AllocatorProfile profile = profile(header.path("profile").asText());
        final List<String> divergences = new ArrayList<>();
        RecordedAllocator allocator = null;
        int compared = 0;
        int divergedTrace = -1;
        for (final JsonNode record : records)
        {
            final int trace = record.get("t").asInt();
            if (trace == divergedTrace)
            {
                continue;
            }
            compared++;
            try
            {
                if (record.get("op").asText().equals("init"))
                {
                    allocator = new RecordedAllocator(profile, record.get("args"));
                    allocator.compareState(record.get("state"));
                }
                else
                {
                    allocator.replay(record);
                }
            }
            catch (final Divergence e)
            {
                divergedTrace = trace;
                divergences.add("trace " + trace + ", record " + record.get("i") + ", " + record.get("op").asText() + " " +
                    record.get("args") + ": " + e.getMessage());
            }
        }
        return new Outcome(compared, divergences.size(), divergences.isEmpty() ? null : divergences.get(0), List.of());
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
}
