// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every recorded decision of Megatron Core, reproduced. */
class MegatronConformanceTest
{
    private static final List<TraceRunner> RUNNERS = List.of(new MegatronAllocatorTrace(), new MegatronContextTrace());

    @TestFactory
    Stream<DynamicTest> shouldReproduceEveryRecord()
    {
        final Path directory = VectorFiles.directory();
        final List<Path> files = VectorFiles.find(directory);
        assertFalse(files.isEmpty(), directory + " holds no .jsonl or .jsonl.gz file");
        return files.stream().map(file -> DynamicTest.dynamicTest(directory.relativize(file).toString(), () ->
            reproduce(directory.relativize(file).toString(), VectorFiles.read(file))));
    }

    private static void reproduce(final String name, final List<JsonNode> lines)
    {
        final String format = lines.isEmpty() ? "" : lines.get(0).path("format").asText();
        final TraceRunner runner = RUNNERS.stream().filter(known -> known.format().equals(format)).findFirst().orElse(null);
        if (runner == null)
        {
            System.out.println(name + ": passed over, because its format \"" + format + "\" is none of Megatron Core's");
            return;
        }
        final Outcome outcome = runner.run(lines.get(0), lines.subList(1, lines.size()));
        System.out.println(name + ": " + outcome.records() + " records, " + outcome.failed() + " failed");
        outcome.remarks().forEach(remark -> System.out.println(name + ": " + remark));
        assertEquals(0, outcome.failed(), () -> name + ", " + outcome.firstDivergence());
    }

    @Test
    void shouldTellTheFirstRecordThatDiffers()
    {
        final List<JsonNode> lines = new ArrayList<>();
        lines.add(VectorFiles.parse("{\"format\":\"megatron-allocator-trace/1\",\"profile\":\"2026-08\"}"));
        lines.add(VectorFiles.parse("""
            {"t":3,"i":0,"op":"init","args":{"pool_size":4,"paused_limit":0,"prefix_caching":false,"policy":"ref_zero",
            "block_size":1,"layers":1,"topk":1,"experts":8,"dtype":"int16"},"ret":null,
            "state":{"avail":3,"total_used":0,"active_used":0,"paused_used":0,"allocatable":3,"routing_count":0}}"""
            .replace("\n", "")));
        lines.add(VectorFiles.parse("""
            {"t":3,"i":1,"op":"alloc","args":{"n":2},"ret":[2,1],
            "state":{"avail":1,"total_used":2,"active_used":0,"paused_used":0,"allocatable":1,"routing_count":0}}"""
            .replace("\n", "")));
        final Outcome outcome = new MegatronAllocatorTrace().run(lines.get(0), lines.subList(1, 3));
        assertEquals(1, outcome.failed());
        assertTrue(outcome.firstDivergence().contains("trace 3, record 1"), outcome.firstDivergence());
        assertTrue(outcome.firstDivergence().contains("expected [2, 1] but was [1, 2]"), outcome.firstDivergence());
    }
}
