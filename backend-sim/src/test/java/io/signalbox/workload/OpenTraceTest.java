// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OpenTraceTest
{
    private static final String AZURE = """
        TIMESTAMP,ContextTokens,GeneratedTokens
        2023-11-16 18:15:46.6805900,374,44
        2023-11-16 18:15:50.9951690,396,109
        2024-05-10 00:00:00.009930+00:00,879,55
        """;
    private static final String BURSTGPT = """
        Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
        5,ChatGPT,472,18,490,Conversation log
        45.5,ChatGPT,1087,230,1317,Conversation log
        """;
    private static final String BAILIAN = """
        {"chat_id": 1, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 40, "output_length": 9,\
         "hash_ids": [5, 6, 7]}
        {"chat_id": 2, "parent_chat_id": 1, "timestamp": 62.5, "input_length": 33, "output_length": 4, "hash_ids": [5, 6, 8]}
        """;
    private static final String DELTA = """
        {"session_id": "s0", "timestamp": 0, "input_length": 40, "output_length": 24, "hash_ids": [1]}
        {"session_id": "s0", "delay": 5, "input_length": 20, "output_length": 10, "hash_ids": [2]}
        """;
    private static final String DYNAMO = """
        {"schema": "dynamo.request.trace.v1", "event_type": "request_end", "request": {"request_id": "a",\
         "output_tokens": 8,\
         "request_received_ms": 1700000000000, "replay": {"trace_block_size": 16, "input_length": 32,\
         "input_sequence_hashes": [18446744073709551615, 3]}}}
        {"event_type": "request_payload", "request_id": "a"}
        {"schema": "dynamo.request.trace.v1", "event_type": "request_end", "request": {"request_id": "b",\
         "output_tokens": 2,\
         "request_received_ms": 1700000001500, "replay": {"trace_block_size": 16, "input_length": 20,\
         "input_sequence_hashes": [18446744073709551615]}}}
        """;
    private static final String AIPERF = """
        {"session_id": "a", "timestamp": 12.5, "input_length": 100, "output_length": 10}
        {"session_id": "a", "delay": 250.5, "input_length": 150, "output_length": 20}
        {"session_id": "b", "timestamp": 20.0, "input_length": 50, "output_length": 5}
        """;
    private static final String AIPERF_RECORDS = """
        {"metadata": {"x_correlation_id": "u", "request_start_ns": 1700000000000000000}, "metrics": {\
        "input_sequence_length": {"value": 550, "unit": "tokens"},\
        "output_sequence_length": {"value": 12, "unit": "tokens"}}}
        {"metadata": {"x_correlation_id": "v", "request_start_ns": 1700000000250000000}, "metrics": {\
        "input_sequence_length": {"value": 51, "unit": "tokens"}, "output_sequence_length": {"value": 1, "unit": "tokens"}}}
        """;
    private static final String SHAREGPT = """
        [{"id": "x", "conversations": [{"from": "human", "value": "12345678"}, {"from": "gpt", "value": "1234"},
          {"from": "human", "value": "1234"}, {"from": "gpt", "value": "12345678"}]},
         {"id": "y", "conversations": [{"from": "human", "value": "1"}]}]
        """;
    private static final String VLLM = """
        {"request_rate": 4.0, "completed": 2,
         "input_lens": [10, 20], "output_lens": [3, 4], "itls": [[0.1], []]}
        """;
    private static final String OWN = """
        {"arrival_us": 1500, "prompt_tokens": 7, "output_tokens": 3}
        {"arrival_us": 2500.5, "prompt_tokens": 8, "output_tokens": 0}
        """;

    @TempDir
    private Path directory;

    private Path file(final String text) throws IOException
    {
        return Files.writeString(directory.resolve("trace"), text);
    }

    private Workload read(final String text) throws IOException
    {
        return TraceOpening.AUTO.read(file(text));
    }

    private static List<Long> arrivals(final Workload workload)
    {
        return workload.requests().stream().map(WorkloadRequest::arrivalNanos).toList();
    }

    private static List<Integer> prompts(final Workload workload)
    {
        return workload.requests().stream().map(WorkloadRequest::promptTokens).toList();
    }

    private static long[] names(final Workload workload, final int request, final int blockTokens)
    {
        final long[] target = new long[64];
        return Arrays.copyOf(target, workload.blockHashes(workload.requests().get(request), blockTokens, target));
    }

    private static long[] filled(final Workload workload, final int request, final int blockTokens)
    {
        final long[] target = new long[64];
        workload.blockHashes(workload.requests().get(request), blockTokens, target);
        return target;
    }

    @Test
    void shouldReadMomentsOfAzure() throws IOException
    {
        final Workload workload = read(AZURE);

        assertEquals(TraceFormat.AZURE, TraceFormat.of(file(AZURE)));
        assertEquals(List.of(374, 396, 879), prompts(workload));
        assertEquals(List.of(0L, 4_314_579_000L), arrivals(workload).subList(0, 2));
        assertEquals(44, workload.requests().get(0).outputTokens());
    }

    @Test
    void shouldReadSecondsOfBurstGpt() throws IOException
    {
        assertEquals(List.of(0L, 40_500_000_000L), arrivals(read(BURSTGPT)));
        assertEquals(List.of(472, 1087), prompts(read(BURSTGPT)));
    }

    @Test
    void shouldShareBlocksOfSixteenTokensInBailian() throws IOException
    {
        final Workload workload = read(BAILIAN);

        assertEquals(List.of(0L, 1_386_000_000L), arrivals(workload));
        final long[] first = names(workload, 0, 16);
        final long[] second = names(workload, 1, 16);
        assertEquals(2, first.length);
        assertEquals(first[1], second[1]);
        assertEquals("bailian", workload.settings().get("workload.kind"));
    }

    /** The second prompt is the first one, its answer, and the new tokens. */
    @Test
    void shouldAddUpTheTurnsOfASession() throws IOException
    {
        final Workload workload = new TraceOpening(TraceFormat.MOONCAKE_DELTA, null, 0).read(file(DELTA));

        assertEquals(List.of(40, 84), prompts(workload));
        final WorkloadRequest second = workload.requests().get(1);
        assertEquals(1, second.predecessorId());
        assertEquals(5_000_000, second.thinkTimeNanos());
        final long[] answer = new long[64];
        assertEquals(2, workload.answerNames(workload.requests().get(0), 16, answer));
        final long[] names = filled(workload, 1, 16);
        assertEquals(filled(workload, 0, 16)[1], names[1]);
        assertEquals(answer[0], names[2]);
        assertEquals(answer[1], names[3]);
    }

    @Test
    void shouldReadDynamosRequestEndsAndUnsignedHashes() throws IOException
    {
        final Workload workload = read(DYNAMO);

        assertEquals(List.of(32, 20), prompts(workload));
        assertEquals(List.of(0L, 1_500_000_000L), arrivals(workload));
        assertEquals(names(workload, 0, 16)[0], names(workload, 1, 16)[0]);
    }

    @Test
    void shouldReadInputsAndRecordsOfAiperf() throws IOException
    {
        final Workload inputs = read(AIPERF);
        assertEquals(List.of(0L, -1L, 7_500_000L), arrivals(inputs));
        assertEquals(250_500_000, inputs.requests().get(1).thinkTimeNanos());
        assertNotEquals(names(inputs, 0, 16)[0], names(inputs, 1, 16)[0]);

        final Workload records = read(AIPERF_RECORDS);
        assertEquals(List.of(550, 51), prompts(records));
        assertEquals(250, Math.round(arrivals(records).get(1) / 1e6));
    }

    @Test
    void shouldReadConversationsOfShareGpt() throws IOException
    {
        final Workload workload = read(SHAREGPT);

        assertEquals(List.of(2, 4), prompts(workload));
        assertEquals(1, workload.requests().get(1).predecessorId());
        assertEquals(2, workload.requests().get(1).outputTokens());
    }

    @Test
    void shouldReadResultsOfVllmBenchAndOwnLines() throws IOException
    {
        assertEquals(List.of(0L, 250_000_000L), arrivals(read(VLLM)));
        assertEquals(List.of(0L, 1_000_500L), arrivals(read(OWN)));
        assertEquals(List.of(7, 8), prompts(read(OWN)));
    }

    @Test
    void shouldTakeTheUnitAndTheTokensPerIdThatAreGiven() throws IOException
    {
        final String mooncake = """
            {"timestamp": 1.5, "input_length": 100, "output_length": 1, "hash_ids": ["0x1f", "ff"]}
            {"timestamp": 2.0, "input_length": 100, "output_length": 1, "hash_ids": ["1F", "fe"]}
            """;
        assertEquals(List.of(0L, 500_000_000L), arrivals(read(mooncake)), "two requests within a millisecond");
        final Workload given = new TraceOpening(null, "us", 64).read(file(mooncake));
        assertEquals(List.of(0L, 500L), arrivals(given));
        assertEquals(names(given, 0, 64)[0], names(given, 1, 64)[0]);
        assertNotEquals(filled(given, 0, 50)[1], filled(given, 1, 50)[1]);
    }

    @ParameterizedTest
    @EnumSource(value = TraceFormat.class, mode = EnumSource.Mode.EXCLUDE, names = {"AGENT"})
    void shouldSayWhatAFileOfAnotherFormatLooksLike(final TraceFormat format) throws IOException
    {
        final Path file = file(format == TraceFormat.AZURE ? BURSTGPT : AZURE);
        final String message =
            assertThrows(ConfigException.class, () -> new TraceOpening(format, null, 0).read(file)).getMessage();

        assertTrue(message.contains("mooncake") && message.contains("sharegpt") && message.endsWith("."), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TIMESTAMP,ContextTokens,GeneratedTokens\nnever,1,2\n",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,-1,2\n",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,1\n",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n", "{\"chat_id\": 1, \"timestamp\": 1}\n",
        "{\"input_lens\": [1], \"output_lens\": []}", "{\"input_lens\": [-1], \"output_lens\": [1]}",
        "[{\"conversations\": [{\"from\": \"human\"", "{\"arrival_us\": -5, \"prompt_tokens\": 1, \"output_tokens\": 1}\n"})
    void shouldRefuseWhatItCannotRead(final String text) throws IOException
    {
        final Path file = file(text);
        final String message = assertThrows(ConfigException.class, () -> TraceOpening.AUTO.read(file)).getMessage();

        assertTrue(message.startsWith("the trace " + file) && message.endsWith("."), message);
    }

    @Test
    void shouldReadGzippedFiles() throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bytes))
        {
            gzip.write(SHAREGPT.getBytes(StandardCharsets.UTF_8));
        }
        final Path file = Files.write(directory.resolve("trace.gz"), bytes.toByteArray());

        assertEquals(List.of(2, 4), prompts(TraceOpening.AUTO.read(file)));
    }

    @Test
    void shouldRefuseUnitsAndFormatsThatDoNotExist()
    {
        assertThrows(ConfigException.class, () -> new TraceOpening(null, "h", 0));
        assertThrows(ConfigException.class, () -> new TraceOpening(null, null, -1));
        assertThrows(ConfigException.class, () -> TraceFormat.parse("csv"));
    }
}
