// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RequestTraceTest
{
    private static final String LINE = "{\"id\": 9, \"arrival_ns\": 5, \"prompt_tokens\": 40, \"output_tokens\": 3, " +
        "\"block_tokens\": 16, \"blocks\": [101, 102]}";
    private static final String NEXT = "{\"id\": 4, \"arrival_ns\": 7, \"predecessor\": 9, \"think_ns\": 2, " +
        "\"conversation\": 1, \"cancel_after_ns\": 8, \"tenant\": \"a\", \"prompt_tokens\": 64, \"output_tokens\": 0, " +
        "\"block_tokens\": 16, \"blocks\": [101, 102, 103, 104]}";

    @TempDir
    private Path directory;

    private Path write(final String text) throws IOException
    {
        return Files.writeString(directory.resolve("trace.jsonl"), text);
    }

    private RequestTrace read(final String text) throws IOException
    {
        return RequestTrace.read(write(text));
    }

    @Test
    void shouldReadEveryField() throws IOException
    {
        final RequestTrace trace = read(LINE + "\n" + NEXT + "\n");

        assertEquals(new WorkloadRequest(1, 5, -1, 0, -1, 40, 3, -1, -1), trace.requests().get(0));
        assertEquals(new WorkloadRequest(2, -1, 1, 2, 1, 64, 0, 8, -1), trace.requests().get(1));
        assertEquals("a", trace.tenant(trace.requests().get(1)));
        assertEquals("", trace.tenant(trace.requests().get(0)));
        assertEquals(TraceFormat.REQUESTS, TraceFormat.of(directory.resolve("trace.jsonl")));
    }

    @Test
    void shouldArriveByItselfIfThePredecessorIsNoEarlierLine() throws IOException
    {
        assertEquals(7, read(NEXT).requests().get(0).arrivalNanos());
        assertEquals(-1, read(NEXT).requests().get(0).predecessorId());
    }

    private static long[] hashes(final RequestTrace trace, final int index, final int blockTokens)
    {
        final WorkloadRequest request = trace.requests().get(index);
        final long[] hashes = new long[request.promptTokens() / blockTokens];
        assertEquals(hashes.length, trace.blockHashes(request, blockTokens, hashes));
        return hashes;
    }

    @Test
    void shouldNameBlocksAsTheJournalDid() throws IOException
    {
        final RequestTrace trace = read(LINE + "\n" + NEXT);

        assertArrayEquals(new long[]{101, 102}, hashes(trace, 0, 16));
        assertArrayEquals(new long[]{102}, hashes(trace, 0, 32));
        assertArrayEquals(new long[]{102, 104}, hashes(trace, 1, 32));
    }

    /** The prompt ends within the third block, which decoding completes; the fourth has no recorded hash. */
    @Test
    void shouldNameBlocksOfTheAnswer() throws IOException
    {
        final RequestTrace trace = read(LINE.replace("\"output_tokens\": 3", "\"output_tokens\": 40")
            .replace("}", ", \"answer_blocks\": [103, 0, 105]}") + "\n" + NEXT);
        final long[] names = new long[4];
        assertEquals(3, trace.answerNames(trace.requests().get(0), 16, names));
        assertArrayEquals(new long[]{103, 0, 105, 0}, names);
        assertEquals(1, trace.answerNames(trace.requests().get(0), 32, names));
        assertEquals(0, names[0]);
        assertEquals(0, trace.answerNames(trace.requests().get(1), 16, names));
        // Within the block in which the prompt ends, smaller blocks have the same names as in the next prompt.
        assertArrayEquals(Arrays.copyOf(hashes(trace, 1, 8), 5), hashes(trace, 0, 8));
    }

    @Test
    void shouldShareSmallerBlocksUpToTheLastCommonOne() throws IOException
    {
        final RequestTrace trace = read(LINE + "\n" + NEXT);
        final long[] first = hashes(trace, 0, 8);
        final long[] second = hashes(trace, 1, 8);

        for (int i = 0; i < 4; i++)
        {
            assertEquals(first[i], second[i]);
            assertTrue(first[i] > 0);
        }
        assertNotEquals(first[4], second[4], "tokens behind the last recorded block are the request's alone");
        assertNotEquals(first[2], first[3]);
    }

    @Test
    void shouldTellContentsApart() throws IOException
    {
        final String hash = "workload.contentHash";
        final String whole = read(LINE + "\n" + NEXT).settings().get(hash);
        for (final String other : new String[]{"\"think_ns\": 3", "\"tenant\": \"b\"", "\"blocks\": [101, 102, 103, 105]",
            "\"cancel_after_ns\": 9", "\"output_tokens\": 1"})
        {
            final String name = other.substring(0, other.indexOf(':'));
            final String value = NEXT.replaceFirst(name + ": (\\[[^]]*]|[^,}]*)", other);
            assertNotEquals(NEXT, value);
            assertNotEquals(whole, read(LINE + "\n" + value).settings().get(hash), other);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"arrival_ns\": 5, | | line 1, has no 'arrival_ns'; correct or remove the line.",
        "\"block_tokens\": 16, | | line 1, has no 'block_tokens'; correct or remove the line.",
        "[101, 102] | [101, 102, 103] | line 1, has 3 blocks of 16 tokens, more than prompt_tokens=40 fill",
        "[101, 102] | [0] | line 1, has 'blocks' with 0, which is not between 1 and 9223372036854775807",
        "[101, 102] | 7 | line 1, has 'blocks' that is not a list of hashes",
        "\"id\": 9 | \"answer_blocks\": [7] | line 1, has 1 answer_blocks of 16 tokens, more than the 0 that",
        "\"id\": 9 | \"tenant\": 9 | line 1, has 'tenant' that is not a text",
        "\"prompt_tokens\": 40 | \"prompt_tokens\": 0 | line 1, has 'prompt_tokens' with 0, which is not between 1 and"})
    void shouldRefuseALineInOneSentence(final String part, final String instead, final String sentence)
    {
        final String line = LINE.replace(part, instead == null ? "" : instead);
        assertNotEquals(LINE, line);
        final String message = assertThrows(ConfigException.class, () -> read(line)).getMessage();
        assertTrue(message.contains(sentence), message);
    }
}
