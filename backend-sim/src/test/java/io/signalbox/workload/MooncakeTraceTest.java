// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class MooncakeTraceTest
{
    private static final String GOOD =
        "{\"timestamp\": 7, \"input_length\": 1300, \"output_length\": 9, \"hash_ids\": [4, 5, 6], \"note\": {\"a\": [1]}}";

    @TempDir
    private Path directory;

    private Path write(final String text) throws IOException
    {
        return Files.writeString(directory.resolve("trace.jsonl"), text);
    }

    private Path writeGzip(final String text) throws IOException
    {
        // Not named .gz: the format is known by its first bytes.
        final Path file = directory.resolve("zipped.jsonl");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file)))
        {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    private static long[] hashes(final MooncakeTrace trace, final int index, final int blockSizeTokens)
    {
        final WorkloadRequest request = trace.requests().get(index);
        final long[] hashes = new long[request.promptTokens() / blockSizeTokens];
        assertEquals(hashes.length, trace.blockHashes(request, blockSizeTokens, hashes));
        return hashes;
    }

    private static String refusal(final Path file)
    {
        return assertThrows(ConfigException.class, () -> MooncakeTrace.read(file)).getMessage();
    }

    @Test
    void shouldReadPlainAndGzippedAlike() throws IOException
    {
        final MooncakeTrace plain = MooncakeTrace.read(write(GOOD + "\n" + GOOD + "\n"));
        final MooncakeTrace zipped = MooncakeTrace.read(writeGzip(GOOD + "\n" + GOOD));
        assertEquals(WorkloadRequest.arriving(2, 7_000_000, 1300, 9), plain.requests().get(1));
        assertEquals(plain.requests(), zipped.requests());
        assertArrayEquals(new long[] {4, 5, 6}, zipped.traceBlockIds(zipped.requests().get(0)));
        assertEquals(plain.settings().get("workload.contentHash"), zipped.settings().get("workload.contentHash"));
    }

    @ParameterizedTest
    @CsvSource({"16,81", "48,27", "100,13", "512,2", "700,1", "1024,1", "2048,0"})
    void shouldHashFullBlocksOnly(final int blockSizeTokens, final int blocks) throws IOException
    {
        final long[] hashes = hashes(MooncakeTrace.read(write(GOOD)), 0, blockSizeTokens);
        assertEquals(blocks, hashes.length);
        assertEquals(blocks, Arrays.stream(hashes).filter(hash -> hash > 0).distinct().count());
    }

    @ParameterizedTest
    @CsvSource({"16,64", "48,21", "100,10", "512,2", "600,1", "1024,1"})
    void shouldShareHashesExactlyAsFarAsThePrefixIsKnownToBeShared(final int blockSizeTokens, final int shared)
        throws IOException
    {
        final MooncakeTrace trace = MooncakeTrace.read(write("""
            {"timestamp": 0, "input_length": 2048, "output_length": 1, "hash_ids": [1, 2, 3, 4]}
            {"timestamp": 0, "input_length": 2048, "output_length": 1, "hash_ids": [1, 2, 8, 9]}
            """));
        final long[] first = hashes(trace, 0, blockSizeTokens);
        final long[] second = hashes(trace, 1, blockSizeTokens);
        for (int i = 0; i < first.length; i++)
        {
            if (i < shared)
            {
                assertEquals(first[i], second[i], "block " + i);
            }
            else
            {
                assertNotEquals(first[i], second[i], "block " + i);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "{\"input_length\": 3, \"output_length\": 1, \"hash_ids\": [1]}|has no 'timestamp'",
        "{\"timestamp\": 0, \"output_length\": 1, \"hash_ids\": [1]}|has no 'input_length'",
        "{\"timestamp\": 0, \"input_length\": 3, \"hash_ids\": [1]}|has no 'output_length'",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1}|has no 'hash_ids'",
        "{\"timestamp\": \"0\", \"input_length\": 3, \"output_length\": 1, \"hash_ids\": [1]}|'timestamp' with 0 where",
        "{\"timestamp\": 0, \"input_length\": 3.5, \"output_length\": 1, \"hash_ids\": [1]}|'input_length' with 3.5 where",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": null, \"hash_ids\": [1]}|'output_length' with null",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": 1}|'hash_ids' that is not a list",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": [\"x\"]}|'hash_ids' with x where",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": [[1]]}|'hash_ids' with [ where",
        "{\"timestamp\": 0, \"input_length\": 513, \"output_length\": 1, \"hash_ids\": [1]}|input_length=513 needs 2",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": []}|has 0 hash_ids",
        "{\"timestamp\": -1, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": [1]}|'timestamp' with -1",
        "{\"timestamp\": 0, \"input_length\": 0, \"output_length\": 1, \"hash_ids\": []}|'input_length' with 0",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": -4, \"hash_ids\": [1]}|'output_length' with -4",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": [-9]}|'hash_ids' with -9",
        "{\"timestamp\": 0, \"input_length\": 99999999999, \"output_length\": 1, \"hash_ids\": [1]}|'input_length' with 9",
        "{\"timestamp\": 99999999999999999999, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": [1]}|not between",
        "{\"timestamp\": 0, \"timestamp\": 1, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": [1]}|Duplicate field",
        "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1, \"hash_ids\": [1]} {}|something after",
        "{\"timestamp\": 0, \"input_length\": 3|not valid JSON",
        "{\"timestamp\": 0, \"hash_ids\": [1, 2|not valid JSON",
        "{\"timestamp\": |not valid JSON",
        "[1, 2]|is not a JSON object",
        "hello|not valid JSON",
        "~~|is empty",
    })
    void shouldRefuseAMalformedLineByFileAndNumber(final String bad, final String fault) throws IOException
    {
        final Path file = write(GOOD + "\n" + bad + "\n" + GOOD + "\n");
        final String message = refusal(file);
        assertTrue(message.startsWith("the trace " + file + ", line 2, "), message);
        assertTrue(message.contains(fault), message);
        assertEquals(1, message.lines().count(), message);
        assertFalse(message.contains("Source") || message.contains("line: ") || message.contains("Exception"), message);
    }

    @Test
    void shouldReadUnsignedIds() throws IOException
    {
        final MooncakeTrace trace = MooncakeTrace.read(write("{\"timestamp\": 0, \"input_length\": 2000, " +
            "\"output_length\": 1, \"hash_ids\": [0, 9223372036854775808, 9223372036854775807, 18446744073709551615]}"));
        assertArrayEquals(new long[]{0, Long.MIN_VALUE, Long.MAX_VALUE, -1}, trace.traceBlockIds(trace.requests().get(0)));
        final String message = refusal(write(GOOD.replaceFirst("\\[\\d+", "[18446744073709551616")));
        assertTrue(message.contains("with 18446744073709551616, which is not between 0 and 18446744073709551615"), message);
    }

    /** A prompt of one block fits every size that is at least its length; only 16 fits the second line. */
    @Test
    void shouldFindHowManyTokensAnIdStandsFor() throws IOException
    {
        final String line = "{\"timestamp\": 0, \"input_length\": %d, \"output_length\": 1, \"hash_ids\": [%s]}\n";
        final MooncakeTrace trace =
            MooncakeTrace.read(write(line.formatted(9, "1") + line.formatted(40, "1, 2, 3") + line.formatted(9, "4")));
        final long[] hashes = new long[5];
        assertEquals(16, trace.traceBlockTokens());
        assertEquals(2, trace.blockHashes(trace.requests().get(1), 16, hashes));
        assertEquals(512, MooncakeTrace.read(write(line.formatted(512, "1"))).traceBlockTokens());
        final String none = refusal(write(line.formatted(600, "1, 2, 3, 4, 5, 6")));
        assertTrue(none.endsWith("line 1, has 6 hash_ids where input_length=600 needs 2, one per 512 tokens; correct the " +
            "line, or give a trace whose ids stand for 1, 2, 4, ... or 65536 tokens."), none);
    }

    private static Stream<Arguments> foreign()
    {
        final String formats = "; give JSONL, one JSON object per line: a Mooncake trace, plays of agents, or a file that";
        return Stream.of(
            arguments("Timestamp,Tokens\n3,310\n", " is not JSONL: it begins with 'Timestamp,Tokens'" + formats),
            arguments("\u00EF\u00BB\u00BFTime;Tokens\r\n3;310\r\n", " is not JSONL: it begins with 'Time;Tokens'" + formats),
            arguments("PAR1\u0015\u0004", " is a Parquet file" + formats),
            arguments("PK\u0003\u0004x", " is a ZIP archive; decompress it, or compress the JSONL with gzip."),
            arguments("(\u00B5/\u00FDx", " is compressed with zstd; decompress it, or compress the JSONL with gzip."),
            arguments("\u00FF\u00FE{\u0000", " is UTF-16 text; convert it to UTF-8."),
            arguments("[\n{\"timestamp\": 0}\n]", " is a JSON array; write one object per line, as jq -c '.[]' does."),
            arguments("[{\"timestamp\": 0}, {\"timestamp\": 1}]", " is a JSON array; write one object per line, as jq"),
            arguments("{\n  \"timestamp\": 0\n}", " has a JSON object over several lines; write one object per line, as jq"),
            arguments("{\"arrived\": 0}\n{\"arrived\": 1}", ", line 1, has no 'timestamp'" + formats));
    }

    @ParameterizedTest
    @MethodSource("foreign")
    void shouldSayWhatAFileOfAnotherFormatIs(final String content, final String sentence) throws IOException
    {
        final byte[] bytes = content.getBytes(StandardCharsets.ISO_8859_1);
        final Path plain = Files.write(directory.resolve("plain"), bytes);
        final Path zipped = directory.resolve("zipped");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped)))
        {
            out.write(bytes);
        }
        for (final Path file : List.of(plain, zipped))
        {
            final String message = refusal(file);
            assertTrue(message.startsWith("the trace " + file + sentence), message);
            assertFalse(message.contains("correct or remove"), message);
        }
    }

    @Test
    void shouldNameTheColumnOfAFault() throws IOException
    {
        final String message = refusal(write(GOOD + "\n{\"timestamp\": 0, \"hash_ids\": [1}\n"));
        assertTrue(message.contains("line 2, column 32, is not valid JSON ("), message);
        final String cut = refusal(write(GOOD.substring(0, 40)));
        assertTrue(cut.contains("line 1, column 41, is not valid JSON (Unexpected end-of-input"), cut);
        assertFalse(cut.contains("marker") || cut.contains("REDACTED"), cut);
    }

    @Test
    void shouldAcceptWhatEditorsLeaveInAFile() throws IOException
    {
        assertEquals(2, MooncakeTrace.read(write("\uFEFF" + GOOD + "\r\n" + GOOD + "\r\n")).requests().size());
        assertEquals(1, MooncakeTrace.read(write(GOOD + "\n\n  \n")).requests().size());
        assertTrue(refusal(write(GOOD + "\n\n\n" + GOOD)).contains("line 2, is empty"));
        assertTrue(refusal(write("\n\n")).contains(" is empty; give a file"));
    }

    @Test
    void shouldSayThatAGzippedFileHoldsNoText() throws IOException
    {
        final Path file = directory.resolve("garbage.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file)))
        {
            out.write(new byte[] {(byte)0xC3, (byte)0x28, 0, 1});
        }
        assertTrue(refusal(file).contains("after line 0 (its bytes are not UTF-8 text)"), refusal(file));
    }

    @Test
    void shouldSayThatAFileCannotBeRead() throws IOException
    {
        final Path file = write(GOOD);
        Assumptions.assumeTrue(file.toFile().setReadable(false) && !Files.isReadable(file),
            "skipped: this user may read every file");
        assertTrue(refusal(file).contains("may not be read: permission is denied"), refusal(file));
    }

    @Test
    void shouldRefuseAFileThatIsNotThereOrEmpty() throws IOException
    {
        final String missing = refusal(directory.resolve("nowhere.jsonl"));
        assertTrue(missing.contains("nowhere.jsonl is not there"), missing);
        assertTrue(refusal(directory).contains(directory + " is a directory; give"));
        assertTrue(refusal(write("")).contains("is empty"));
    }

    @Test
    void shouldRefuseADamagedGzipFile() throws IOException
    {
        final Path file = writeGzip(GOOD + "\n" + GOOD + "\n");
        final byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 12));
        final String cut = refusal(file);
        assertTrue(cut.contains("(it ends within its gzip member 1)"), cut);
        Files.write(file, new byte[] {0x1f, (byte)0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        final String header = refusal(file);
        assertTrue(header.contains("(its gzip member 1 is damaged: it is not compressed with deflate)"), header);
    }

    /** The JDK's stream would give the first member's requests and no error. */
    @Test
    void shouldRefuseALaterMemberThatIsCutShort() throws IOException
    {
        final Path file = writeGzip(GOOD + "\n");
        final byte[] member = Files.readAllBytes(file);
        final byte[] both = Arrays.copyOf(member, 2 * member.length);
        System.arraycopy(member, 0, both, member.length, member.length);
        Files.write(file, both);
        assertEquals(2, MooncakeTrace.read(file).requests().size());
        for (int length = member.length + 1; length < both.length; length++)
        {
            Files.write(file, Arrays.copyOf(both, length));
            assertTrue(refusal(file).contains("(it ends within its gzip member 2)"), refusal(file));
        }
        both[member.length] = 'x';
        Files.write(file, both);
        assertTrue(refusal(file).contains("bytes that are neither gzip data nor zeros follow its gzip member 1"),
            refusal(file));
    }

    /** Limits of the parser are exceeded at no place, and have no column. */
    @Test
    void shouldRefuseWhatPassesALimitOfTheParser() throws IOException
    {
        final String digits = GOOD.replaceFirst("\"input_length\": *\\d+", "\"input_length\": " + "9".repeat(1001));
        assertTrue(refusal(write(digits)).contains("line 1, is not valid JSON (Number value length (1001) exceeds"),
            refusal(write(digits)));
        final String nested = "{\"x\":" + "[".repeat(1001) + "]".repeat(1001) + "}";
        assertTrue(refusal(write(nested)).contains("is not valid JSON (Document nesting depth (1001) exceeds"),
            refusal(write(nested)));
        final String name = "{\"" + "n".repeat(50_001) + "\":1}";
        assertTrue(refusal(write(name)).contains("is not valid JSON (Name length (50001) exceeds"), refusal(write(name)));
        final String exponent = "{\"timestamp\":1e" + "9".repeat(999) + "}";
        assertTrue(refusal(write(exponent)).contains("line 1, "), refusal(write(exponent)));
    }

    @Test
    void shouldCutLongValuesOutOfItsSentences() throws IOException
    {
        final String message = refusal(write("{\"timestamp\":\"" + "long ".repeat(100_000) + "\"}"));
        assertTrue(message.contains("'timestamp' with long long ") && message.length() < 600, message);
    }

    @Test
    void shouldRefuseBytesThatAreNotText() throws IOException
    {
        final Path file = directory.resolve("binary.jsonl");
        Files.write(file, new byte[] {(byte)0xC3, 0x28, (byte)0xFF, 10});
        assertTrue(refusal(file).contains("cannot be read after line 0"), refusal(file));
    }

    @Test
    void shouldReadTheWholeConversationTrace()
    {
        final Path file = SharedTraces.conversation();
        Assumptions.assumeTrue(Files.isRegularFile(file), "skipped: the shared trace " + file + " is absent");
        final MooncakeTrace trace = MooncakeTrace.read(file);
        assertEquals(12_031, trace.requests().size());
        final Set<Long> ids = new HashSet<>();
        long tokens = 0;
        for (final WorkloadRequest request : trace.requests())
        {
            tokens += request.outputTokens();
            Arrays.stream(trace.traceBlockIds(request)).forEach(ids::add);
        }
        assertEquals(182_790, ids.size());
        assertEquals(342.6, (double)tokens / trace.requests().size(), 0.05);
    }
}
