// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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
        final JsonNode changed = lines.stream().filter(line -> Alteration.isThere(line.at(field))).findFirst().orElse(null);
        assertNotNull(changed, "no record has " + field);
        final List<JsonNode> trace = new ArrayList<>();
        for (final JsonNode line : lines.subList(1, lines.size()))
        {
            if (line.get("t").asInt() == changed.get("t").asInt())
            {
                trace.add(line == changed ? Alteration.change(line, field) : line);
            }
        }
        final Outcome outcome = new MegatronContextTrace().run(HEADER, trace);
        assertEquals(1, outcome.failed(), field);
        final String place = "trace " + changed.get("t") + ", step " + changed.get("step") + ": ";
        assertTrue(outcome.firstDivergence().startsWith(place), place + "expected in: " + outcome.firstDivergence());
    }

    /** The trace of the first record that has the field or the object, with that record altered. */
    private static Outcome alteredAt(final String pointer, final Function<JsonNode, JsonNode> alteration)
    {
        final JsonNode record = lines.stream().filter(line -> !line.at(pointer).isMissingNode()).findFirst().orElseThrow();
        return new MegatronContextTrace().run(HEADER, lines.stream()
            .filter(line -> line.path("t").equals(record.get("t")))
            .map(line -> line == record ? alteration.apply(line) : line).toList());
    }

    private static void assertOneDivergence(final Outcome outcome, final String part)
    {
        assertNotNull(outcome.firstDivergence(), part);
        assertTrue(outcome.firstDivergence().contains(part), part + " expected in: " + outcome.firstDivergence());
        assertEquals(1, outcome.failed());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/args", "/arrivals/0", "/layout", "/finished/0", "/finished/0/routing", "/after", "/upstream_defect"})
    void shouldNotPassOverAFieldThatItDoesNotKnow(final String level)
    {
        assertOneDivergence(alteredAt(level, line -> Alteration.add(line, level + "/surprise")), "surprise");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/step", "/stall", "/upstream_defect", "/args"})
    void shouldNotPassOverAFieldOfTheRecordThatItDoesNotKnow(final String field)
    {
        assertOneDivergence(alteredAt(field, line -> Alteration.add(line, "/surprise")), "surprise");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/t", "/op", "/step", "/args/policy", "/args/max_steps", "/args/max_blocks_per_request", "/arrivals",
        "/arrivals/0/generate", "/waiting_before", "/waiting_after_schedule", "/coordination_waits",
        "/chunked_prefill_request", "/layout", "/layout/avail", "/routing_seed", "/accepted", "/drafts", "/rewound_blocks",
        "/sampled", "/newly_paused", "/evicted", "/finished", "/finished/0/segments", "/finished/0/routing/shape", "/after",
        "/after/refs", "/after/registered", "/upstream_defect", "/stall"})
    void shouldMissAFieldThatIsNotThere(final String field)
    {
        final Outcome outcome = alteredAt(field, line -> Alteration.remove(line, field));
        assertNotNull(outcome.firstDivergence(), field);
    }

    @Test
    void shouldRefuseTextsThatItDoesNotKnow()
    {
        assertOneDivergence(alteredAt("/args/policy", line -> Alteration.set(line, "/args/policy", "fifo")), "\"fifo\"");
        assertOneDivergence(alteredAt("/sampled", line -> Alteration.set(line, "/op", "stop")), "was stop");
    }

    @Test
    void shouldMissTheEndOfATrace()
    {
        final List<JsonNode> trace = lines.stream().filter(line -> line.path("t").asInt(-1) == 3).toList();
        for (int length = 1; length < trace.size(); length++)
        {
            final Outcome outcome = new MegatronContextTrace().run(HEADER, trace.subList(0, length));
            assertOneDivergence(outcome, ", the last of its trace: ");
        }
        assertNull(new MegatronContextTrace().run(HEADER, trace).firstDivergence());
    }

    @Test
    void shouldMissAStepInTheMiddle()
    {
        final List<JsonNode> trace = new ArrayList<>(lines.subList(1, 8));
        trace.remove(4);
        assertOneDivergence(new MegatronContextTrace().run(HEADER, trace), "step: expected 3 but was 4");
    }

    @Test
    void shouldReportARecordThatIsNoneAtItsPlace()
    {
        final List<JsonNode> trace = List.of(VectorFiles.parse("{}"));
        assertOneDivergence(new MegatronContextTrace().run(HEADER, trace), "record 1 behind the header: failed with");
    }

    /** Null routing counts as the original's loss only if one of the request's blocks has another owner. */
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

    /** Nor if another request has one of its blocks, but had it before the update: they share a prefix. */
    @Test
    void shouldNotTakeASharerOfAPrefixForANewOwner()
    {
        final JsonNode shared = lines.stream().filter(MegatronContextTraceTest::hasSharerOfFirstFinished).findFirst()
            .orElseThrow();
        final List<JsonNode> trace = lines.stream().filter(line -> line.path("t").equals(shared.get("t"))).map(line ->
        {
            final JsonNode copy = line.deepCopy();
            if (line == shared)
            {
                ((ObjectNode)copy.at("/finished/0")).putNull("routing");
            }
            return copy;
        }).toList();
        assertOneDivergence(new MegatronContextTrace().run(HEADER, trace), "although none was recorded");
    }

    private static boolean hasSharerOfFirstFinished(final JsonNode step)
    {
        boolean shared = false;
        for (final JsonNode row : step.at("/after/blocks"))
        {
            for (final JsonNode block : row)
            {
                for (final JsonNode own : step.at("/finished/0/blocks"))
                {
                    shared |= block.equals(own);
                }
            }
        }
        return shared && step.at("/finished/0/routing").isObject();
    }

    private static List<JsonNode> fault(final String... fields)
    {
        final List<JsonNode> trace = new ArrayList<>(lines.subList(1, 4));
        final ObjectNode last = trace.get(2).deepCopy();
        last.retain("t", "op", "step");
        List.of(fields).forEach(field -> last.set(field, trace.get(2).get(field)));
        trace.set(2, last.put("fault", "KeyError"));
        return trace;
    }

    @Test
    void shouldEndATraceWithTheOriginalsException()
    {
        for (final List<JsonNode> trace : List.of(fault(), fault("arrivals", "waiting_before"),
            fault("arrivals", "layout"), fault("arrivals", "layout", "routing_seed", "accepted",
                "rewound_blocks", "drafts", "sampled", "finished")))
        {
            final Outcome outcome = new MegatronContextTrace().run(HEADER, trace);
            assertNull(outcome.firstDivergence());
            assertEquals(List.of("1 traces end in an exception of the original"), outcome.remarks());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/waiting_after_schedule", "/coordination_waits", "/chunked_prefill_request", "/layout/avail", "/rewound_blocks",
        "/newly_paused", "/evicted", "/after/avail", "/surprise"})
    void shouldCompareWhatTheOriginalsExceptionLeftToCompare(final String field)
    {
        final List<JsonNode> trace = fault("arrivals", "waiting_before", "waiting_after_schedule", "coordination_waits",
            "chunked_prefill_request", "layout", "routing_seed", "accepted", "drafts", "rewound_blocks", "sampled",
            "newly_paused", "evicted", "finished", "after");
        trace.set(2, trace.get(2).at(field).isMissingNode() ? Alteration.add(trace.get(2), field) :
            Alteration.change(trace.get(2), field));
        assertOneDivergence(new MegatronContextTrace().run(HEADER, trace), field.substring(1).replace('/', '.'));
    }

    @Test
    void shouldRefuseWhatCannotBeComparedBehindTheOriginalsException()
    {
        final List<JsonNode> trace = fault("arrivals", "waiting_before", "evicted");
        assertOneDivergence(new MegatronContextTrace().run(HEADER, trace), "[evicted]");
    }
}
