// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The check of router records can fail: whatever is altered in a record is noticed. */
class RouterVectorsTest
{
    private static final List<JsonNode> MAIN = records("router-main.jsonl.gz");
    private static final List<JsonNode> PR = records("router-pr12315.jsonl.gz");

    private static List<JsonNode> records(final String file)
    {
        return VectorFiles.read(Path.of(RouterVectorsTest.class.getResource("/conformance/trtllm/" + file).getPath()));
    }

    private static JsonNode first(final List<JsonNode> records, final Predicate<JsonNode> wanted)
    {
        return records.stream().filter(wanted).findFirst().orElseThrow();
    }

    private static JsonNode route(final String src, final String router, final String pointer)
    {
        return first("pr".equals(src) ? PR : MAIN, record -> router.equals(record.path("router").asText()) &&
            "route".equals(record.path("type").asText()) && Alteration.isThere(record.at(pointer)));
    }

    private static int failed(final JsonNode record)
    {
        return new RouterVectors().run(List.of(record)).failed();
    }

    @ParameterizedTest
    @CsvSource({
        "pr, default, assign/0/0", "pr, default, expected", "pr, default, active_requests/0", "pr, default, active_tokens/0",
        "pr, default, soft_order/0", "pr, default, unassigned",
        "pr, kv_aware, assign/0/0", "pr, kv_aware, expected", "pr, kv_aware, active_tokens/1",
        "pr, kv_aware, trace/0/order/0", "pr, kv_aware, trace/0/match_used/0", "pr, kv_aware, trace/0/load/0",
        "pr, kv_aware, trace/0/denom", "pr, kv_aware, trace/0/score/1", "pr, kv_aware, trace/0/pick",
        "main, default, assign/0/0", "main, default, expected", "main, default, active_tokens/0",
        "main, kv_aware, assign/0/0", "main, kv_aware, active_tokens/1", "main, kv_aware, pending_warmup/0",
        "main, kv_aware, trace/0/order/0", "main, kv_aware, trace/0/match_used/0", "main, kv_aware, trace/0/load/0",
        "main, kv_aware, trace/0/denom", "main, kv_aware, trace/0/score/1", "main, kv_aware, trace/0/pick",
        "main, conversation, assign/0/0", "main, conversation, expected", "main, conversation, rr_cursor",
        "main, conversation, conv_map/0/1", "main, conversation, conv_map"})
    void shouldNoticeAnAlteredField(final String src, final String router, final String field)
    {
        final String pointer = "/steps/0/out/" + field;
        final JsonNode record = "unassigned".equals(field) ? route(src, router, "/steps/0/out/expected") :
            route(src, router, pointer);

        assertEquals(0, failed(record), "the control");
        assertEquals(1, failed(Alteration.change(record, pointer)), record.get("id").asText());
        assertEquals(1, failed(Alteration.add(record, "/steps/0/out/other")), "a field that is not known");
    }

    @ParameterizedTest
    @CsvSource({
        "admit_route, /out/room", "admit_route, /out/admitted", "admit_route, /out/left_in_queue",
        "admit_route, /out/assign/0/0", "admit_route, /out/expected", "balance, /out/assign/2/0", "shuffle, /perm/0",
        "shuffle, /first_u32/0", "rank_state, /wire/1", "rank_state, /num_active_tokens", "gather, /probe_lengths/0",
        "gather, /local_wire/1", "gather, /decoded/0/0/1", "gather, /gathered/0/1"})
    void shouldNoticeAnAlteredRecordOfAnotherType(final String type, final String pointer)
    {
        final JsonNode record = first(MAIN, candidate ->
            type.equals(candidate.path("type").asText()) && Alteration.isThere(candidate.at(pointer)));

        assertEquals(0, failed(record), "the control");
        assertEquals(1, failed(Alteration.change(record, pointer)), record.get("id").asText());
    }

    @Test
    void shouldNoticeALastBitOfAScore()
    {
        final JsonNode record = route("main", "kv_aware", "/steps/0/out/trace/0/score/1").deepCopy();
        final var scores = (ArrayNode)record.at("/steps/0/out/trace/0/score");
        scores.set(1, Math.nextUp(scores.get(1).doubleValue()));

        assertEquals(1, failed(record));
    }

    @Test
    void shouldNoticeAnErrorThatIsNotKnownAndATypeThatIsNotKnown()
    {
        final JsonNode record = first(MAIN, candidate -> "IndexError".equals(candidate.at("/steps/0/out/error").asText()));

        assertEquals(0, failed(record));
        assertEquals(1, failed(Alteration.set(record, "/steps/0/out/error", "KeyError")));
        assertEquals(1, failed(Alteration.set(record, "/type", "scatter")));
        assertEquals(1, failed(Alteration.set(record, "/src", "fork")));
    }

    @Test
    void shouldKnowTheFilesByTheirFirstLine()
    {
        assertTrue(RouterVectors.recognises(MAIN.get(0)));
        assertFalse(RouterVectors.recognises(VectorFiles.parse("{\"format\":\"megatron-allocator-trace/1\"}")));
        assertFalse(RouterVectors.recognises(VectorFiles.parse("{\"id\":\"a\",\"type\":\"route\"}")));
    }

    @Test
    void shouldHoldEveryRecord()
    {
        assertEquals(1293, MAIN.size());
        assertEquals(1132, PR.size());
    }
}
