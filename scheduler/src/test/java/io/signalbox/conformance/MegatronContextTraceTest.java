// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The check is checked: whichever field of a recorded decision is changed, it is found, at its record. */
class MegatronContextTraceTest
{
    private static final JsonNode HEADER = VectorFiles.parse("{\"format\":\"megatron-context-trace/1\"}");
    private static List<JsonNode> lines;

    @BeforeAll
    static void read() throws Exception
    {
        lines = VectorFiles.read(Path.of(MegatronContextTraceTest.class
            .getResource("/conformance/megatron/context-2026-08.jsonl.gz").toURI()));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/waiting_before", "/waiting_after_schedule", "/coordination_waits", "/chunked_prefill_request", "/layout/paused",
        "/layout/total", "/layout/ids", "/layout/query", "/layout/kv_offset", "/layout/blocks", "/layout/blocks/0",
        "/layout/token_block", "/layout/token_pos", "/layout/token_id", "/layout/token_id/0", "/layout/avail",
        "/layout/allocatable", "/rewound_blocks", "/newly_paused", "/evicted", "/finished/0/id", "/finished/0/blocks/0",
        "/finished/0/tokens", "/finished/0/segments", "/finished/0/cached_tokens", "/finished/0/routing/shape/0",
        "/finished/0/routing/crc", "/after/paused", "/after/total", "/after/ids", "/after/blocks/0", "/after/last_offset/0",
        "/after/kv_offset/0", "/after/active_tokens", "/after/waiting", "/after/avail", "/after/allocatable",
        "/after/active_used", "/after/paused_used", "/after/free", "/after/free/0", "/after/refs/0", "/after/registered",
        "/stall", "/upstream_defect/token_block_by_block_table/0"})
    void shouldFindAChangeOfAnyFieldAtItsRecord(final String field)
    {
        final JsonNode changed = lines.stream().filter(line -> isThere(line.at(field))).findFirst().orElse(null);
        assertNotNull(changed, "no record has " + field);
        final List<JsonNode> trace = new ArrayList<>();
        for (final JsonNode line : lines.subList(1, lines.size()))
        {
            if (line.get("t").asInt() == changed.get("t").asInt())
            {
                trace.add(line == changed ? change(line.deepCopy(), field) : line);
            }
        }
        final Outcome outcome = new MegatronContextTrace().run(HEADER, trace);
        assertEquals(1, outcome.failed(), field);
        final String place = "trace " + changed.get("t") + ", step " + changed.get("step") + ": ";
        assertTrue(outcome.firstDivergence().startsWith(place), place + "expected in: " + outcome.firstDivergence());
    }

    private static boolean isThere(final JsonNode node)
    {
        return !node.isMissingNode() && !node.isNull() && (!node.isArray() || !node.isEmpty());
    }

    private static JsonNode change(final JsonNode record, final String field)
    {
        final int slash = field.lastIndexOf('/');
        final JsonNode holder = record.at(field.substring(0, slash));
        final String name = field.substring(slash + 1);
        final JsonNode value = record.at(field);
        if (value.isArray())
        {
            ((ArrayNode)value).remove(value.size() - 1);
        }
        else if (holder.isArray())
        {
            ((ArrayNode)holder).set(Integer.parseInt(name), value.asInt() + 1);
        }
        else if (value.isTextual())
        {
            ((ObjectNode)holder).put(name, "00000000");
        }
        else if (value.isBoolean())
        {
            ((ObjectNode)holder).put(name, !value.asBoolean());
        }
        else
        {
            ((ObjectNode)holder).put(name, value.asInt() + 1);
        }
        return record;
    }

    @Test
    void shouldNotPassOverAFieldThatItDoesNotKnow()
    {
        final List<JsonNode> trace = new ArrayList<>(lines.subList(1, 3));
        trace.set(1, ((ObjectNode)trace.get(1).deepCopy()).put("surprise", 1));
        final Outcome outcome = new MegatronContextTrace().run(HEADER, trace);
        assertEquals(1, outcome.failed());
        assertTrue(outcome.firstDivergence().contains("surprise"), outcome.firstDivergence());
    }

    /** Null routing counts as the original's loss only where one of the request's blocks has another owner. */
    @Test
    void shouldNotTakeAnyNullForTheOriginalsLoss()
    {
        final List<JsonNode> trace = lines.stream().filter(line -> line.path("t").asInt(-1) == 0).map(line ->
        {
            final JsonNode copy = line.deepCopy();
            if (!copy.at("/finished/0/routing/crc").isMissingNode())
            {
                ((ObjectNode)copy.at("/finished/0")).putNull("routing");
            }
            return copy;
        }).toList();
        final Outcome outcome = new MegatronContextTrace().run(HEADER, trace);
        assertEquals(1, outcome.failed());
        assertTrue(outcome.firstDivergence().contains("although none was recorded"), outcome.firstDivergence());
    }

    @Test
    void shouldEndATraceWithTheOriginalsException()
    {
        final List<JsonNode> trace = new ArrayList<>(lines.subList(1, 4));
        final ObjectNode last = (ObjectNode)trace.get(2).deepCopy();
        last.retain("t", "op", "step", "arrivals", "waiting_before");
        trace.set(2, last.put("fault", "KeyError"));
        final Outcome outcome = new MegatronContextTrace().run(HEADER, trace);
        assertNull(outcome.firstDivergence());
        assertEquals(List.of("1 traces end in an exception of the original"), outcome.remarks());
    }
}
