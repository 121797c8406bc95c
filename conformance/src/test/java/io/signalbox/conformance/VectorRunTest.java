// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A run over files that checks nothing, or less than is there, fails and says so. */
class VectorRunTest
{
    private static final String HEADER = """
        {"format":"megatron-allocator-trace/1","profile":"2026-08","traces":1}
        """;
    private static final String INIT = """
        {"t":3,"i":0,"op":"init","args":{"pool_size":4,"paused_limit":0,"prefix_caching":false,"policy":"ref_zero",\
        "block_size":1,"layers":1,"topk":1,"experts":8,"dtype":"int16"},"ret":null,\
        "state":{"avail":3,"total_used":0,"active_used":0,"paused_used":0,"allocatable":3,"routing_count":0,\
        "free":[0,1,2],"routing":[]}}
        """;
    private static final String ALLOC = """
        {"t":3,"i":1,"op":"alloc","args":{"n":2},"ret":[1,2],\
        "state":{"avail":1,"total_used":2,"active_used":0,"paused_used":0,"allocatable":1,"routing_count":0,\
        "free":[0],"routing":[]}}
        """;

    @TempDir
    private Path directory;
    private final List<String> out = new ArrayList<>();
    private final VectorRun run = new VectorRun(out::add);

    private void check(final String text) throws IOException
    {
        check(text.getBytes(StandardCharsets.UTF_8));
    }

    private void check(final byte[] bytes) throws IOException
    {
        run.check("a.jsonl", Files.write(directory.resolve("a.jsonl"), bytes));
    }

    private String failure(final String text)
    {
        final Throwable thrown = assertThrows(Throwable.class, () -> check(text));
        return thrown.getMessage();
    }

    private static void assertContains(final String part, final String text)
    {
        assertTrue(text.contains(part), text);
    }

    @Test
    void shouldTellHowManyRecordsWereCompared() throws IOException
    {
        check(HEADER + INIT + ALLOC);
        assertEquals(List.of("a.jsonl: 2 records, 0 failed", "a.jsonl: 1 calls have the same result in the engine's " +
            "allocator; traces in which it then parts: {}"), out);
        run.requireThatSomethingWasCompared();
    }

    @Test
    void shouldTellTheFirstRecordThatDiffers()
    {
        final String failure = failure(HEADER + INIT + ALLOC.replace("\"ret\":[1,2]", "\"ret\":[2,1]"));
        assertContains("trace 3, record 1, alloc {\"n\":2}: returned: expected [2, 1] but was [1, 2]", failure);
        assertEquals("a.jsonl: 2 records, 1 failed", out.get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "\n \n", "[1]\n", "7\n", "{\"format\":", "{\"format\":\"megatron-allocator-trace/2\"}\n",
        "{\"format\":\"megatron-\"}\n", "{\"format\":7}\n", "{\"format\":null}\n",
        "{\"format\":\"megatron-allocator-trace/1\",\"profile\":\"2026-09\"}\n",
        "{\"format\":\"megatron-allocator-trace/1\"}\n"})
    void shouldFailOnAFileOfWhichNothingCanBeCompared(final String text)
    {
        failure(text);
        assertEquals(List.of("a.jsonl: 0 records, 1 failed"), out);
    }

    @Test
    void shouldFailOnATraceWithoutHeader()
    {
        assertContains("it must be the header", failure(INIT + ALLOC));
        assertEquals(List.of("a.jsonl: 0 records, 1 failed"), out);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "{\"format\":\"megatron-allocator-trace/1\",\"profile\":\"2026-08\"}\n",
        "{\"format\":\"megatron-context-trace/1\"}\n"})
    void shouldFailOnAHeaderBehindWhichNothingComes(final String text)
    {
        assertContains("no record", failure(text));
        assertEquals(List.of("a.jsonl: 0 records, 1 failed"), out);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"id\":\"main\",\"kind\":\"route\"}\nno JSON\n", "{\"format\":\"vllm-trace/1\"}\n"})
    void shouldPassOverFilesOfOtherSystemsButNotTakeThemForSuccess(final String text) throws IOException
    {
        check(text);
        assertEquals(1, out.size());
        assertContains("a.jsonl: passed over", out.get(0));
        assertThrows(AssertionError.class, run::requireThatSomethingWasCompared);
    }

    @Test
    void shouldNameFileAndLineOfWhatIsNoRecord()
    {
        assertContains("a.jsonl, line 3: not one JSON object: {\"t\":3,", failure(HEADER + INIT + ALLOC.substring(0, 40)));
        assertContains("a.jsonl, line 4: not a JSON object: []", failure(HEADER + "\n" + INIT + "[]"));
        assertContains("a.jsonl, line 3: not one JSON object", failure(HEADER + INIT + ALLOC.strip() + " {}"));
        assertContains("Duplicate field 't'", failure(HEADER + INIT + ALLOC.replace("\"t\":3", "\"t\":3,\"t\":3")));
        assertEquals(4, out.stream().filter("a.jsonl: 0 records, 1 failed"::equals).count());
    }

    @Test
    void shouldRefuseBytesThatAreNoText()
    {
        final byte[] bytes = (HEADER + INIT).getBytes(StandardCharsets.UTF_8);
        bytes[bytes.length - 5] = (byte)0xFF;
        assertContains("a.jsonl, line ", assertThrows(IllegalArgumentException.class, () -> check(bytes)).getMessage());
    }

    @Test
    void shouldMissRecordsOfATrace()
    {
        assertContains("trace 3, record 1, alloc {\"n\":2}: the trace begins here", failure(HEADER + ALLOC));
        assertContains("i: expected 1 but was 2", failure(HEADER + INIT + ALLOC.replace("\"i\":1", "\"i\":2")));
        assertContains("i: expected 0 but was 1", failure(HEADER + INIT.replace("\"i\":0", "\"i\":1")));
        assertContains("i: expected 2 but was 1", failure(HEADER + INIT + ALLOC + ALLOC));
    }

    @Test
    void shouldMissTracesThatTheHeaderPromises()
    {
        assertContains("2 traces, but 1 begin here", failure(HEADER.replace("\"traces\":1", "\"traces\":2") + INIT));
        assertContains("\"1\" traces, but 1 begin here", failure(HEADER.replace("\"traces\":1", "\"traces\":\"1\"") + INIT));
        final String other = INIT.replace("\"t\":3", "\"t\":4");
        assertContains("the trace is new: expected true but was false", failure(HEADER + INIT + other + INIT));
        assertContains("and here only", failure(HEADER + INIT + INIT));
    }

    @Test
    void shouldFindFilesBehindALink() throws IOException
    {
        final Path real = Files.createDirectory(directory.resolve("real"));
        Files.writeString(real.resolve("a.jsonl"), HEADER);
        final Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        assertEquals(List.of(real.toRealPath().resolve("a.jsonl")), VectorFiles.find(link));
    }
}
