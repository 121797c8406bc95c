// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A file of accepted draft tokens. */
class AcceptanceSeriesTest
{
    @TempDir
    private Path directory;

    private AcceptanceSeries read(final String text) throws IOException
    {
        return AcceptanceSeries.read(Files.writeString(directory.resolve("series.jsonl"), text));
    }

    private static String right(final AcceptanceSeries series, final long request, final int tokens)
    {
        return IntStream.range(0, tokens).mapToObj(token -> series.isRight(request, token) ? "r" : ".")
            .collect(Collectors.joining());
    }

    @Test
    void shouldTellByPositionWhichDraftsAreRight() throws IOException
    {
        final AcceptanceSeries series = read("{\"accepted\":[3,0,2]}\n{\"accepted\":[]}\n{\"id\":7,\"accepted\":[1]}\n\n");

        assertEquals(3, series.requests());
        assertEquals(9, series.tokens(1));
        assertEquals(1, series.tokens(2));
        assertEquals(".rrr..rr...", right(series, 1, 11));
        assertEquals("...", right(series, 2, 3));
        assertEquals(".r...", right(series, 3, 5));
        assertEquals(3, series.highestCount());
        assertEquals(1, series.lineOfHighest());
        assertEquals("series.jsonl", series.name());
    }

    @Test
    void shouldHoldLongLines() throws IOException
    {
        final String counts =
            IntStream.range(0, 5_000).mapToObj(i -> String.valueOf(i % 4)).collect(Collectors.joining(","));
        final AcceptanceSeries series = read("{\"accepted\":[" + counts + "]}\n{\"accepted\":[0]}\n");

        assertEquals(1 + 1250 * (1 + 2 + 3 + 4), series.tokens(1));
        for (int i = 0; i < 1250; i++)
        {
            final int first = 1 + 10 * i;
            assertEquals("..r.rr.rrr".replaceFirst("\\.", ""), right(series, 1, first + 9).substring(first), "at " + first);
        }
        assertEquals("..", right(series, 2, 2));
    }

    @Test
    void shouldHashTheContentAndNotItsForm() throws IOException
    {
        final long hash = read("{\"accepted\":[3,0,2]}\n{\"accepted\":[1]}\n").contentHash();
        final Path gzipped = directory.resolve("series.jsonl.gz");
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(gzipped)))
        {
            out.write("{ \"accepted\" : [3, 0, 2] }\r\n{\"accepted\":[1]}".getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(hash, AcceptanceSeries.read(gzipped).contentHash());
        assertNotEquals(hash, read("{\"accepted\":[3,0,2]}\n{\"accepted\":[0]}\n").contentHash());
        assertNotEquals(hash, read("{\"accepted\":[3,2,0]}\n{\"accepted\":[1]}\n").contentHash());
        assertNotEquals(hash, read("{\"accepted\":[3,0,2]}\n").contentHash());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {"accepted":[1,-1]}      | , line 2, has 'accepted' with -1, which is not between 0 and 16777216; correct
        {"accepted":[1.5]}       | , line 2, has 'accepted' with 1.5 where a whole number belongs; correct or remove the
        {"accepted":[99999999999999999999]} | , line 2, has 'accepted' with 99999999999999999999, which is not between 0
        {"accepted":[16777217]}  | , line 2, has 'accepted' with 16777217, which is not between 0 and 16777216
        {"accepted":[16777216]}  | , line 2, tells of more than 16777216 generated tokens, the most that a request may have
        {"accepted":["1"]}       | , line 2, has 'accepted' with 1 where a whole number belongs
        {"accepted":[[1]]}       | , line 2, has 'accepted' with [ where a whole number belongs
        {"accepted":3}           | , line 2, has 'accepted' that is not a list of counts
        {"accepted":null}        | , line 2, has 'accepted' that is not a list of counts
        {"accepted":[1           | , line 2, column 15, is not valid JSON (
        {"counts":[1]}           | , line 2, has no 'accepted'; correct or remove the line.
        {"accepted":[],"accepted":[]} | , line 2, column 26, is not valid JSON (Duplicate field 'accepted')
        [1,2]                    | , line 2, is not a JSON object; correct or remove the line.
        1 2 3                    | , line 2, is not a JSON object; correct or remove the line.
        {"accepted":[1]} x       | , line 2, column 18, is not valid JSON (
        """)
    void shouldRefuseALineWithItsPlaceAndFault(final String line, final String sentence)
    {
        final String message = refusal("{\"accepted\":[0]}\n" + line + "\n{\"accepted\":[0]}\n");
        assertTrue(message.startsWith("the series of accepted drafts " + directory.resolve("series.jsonl") + sentence),
            message);
    }

    @Test
    void shouldRefuseAnEmptyLine()
    {
        assertEquals("the series of accepted drafts " + directory.resolve("series.jsonl") +
            ", line 2, is empty; correct or remove the line.", refusal("{\"accepted\":[0]}\n\n{\"accepted\":[0]}\n"));
    }

    private String refusal(final String text)
    {
        return assertThrows(ConfigException.class, () -> read(text)).getMessage();
    }

    private static String refusal(final Path file)
    {
        return assertThrows(ConfigException.class, () -> AcceptanceSeries.read(file)).getMessage();
    }

    @Test
    void shouldRefuseAFileThatIsNoSeries() throws IOException
    {
        final String subject = "the series of accepted drafts " + directory.resolve("series.jsonl");
        assertEquals(subject + " is empty; give a file with one request per line, such as {\"accepted\": [3, 0, 2]}.",
            refusal(""));
        assertEquals(subject + " is not JSONL: it begins with '1 2 3'; give JSONL, one JSON object per line, plain or " +
            "gzipped.", refusal("1 2 3\n4 5 6\n"));
        Files.write(directory.resolve("series.jsonl"), new byte[] {(byte)0xC3, (byte)0x28, '\n'});
        assertEquals(subject + " cannot be read after line 0 (its bytes are not UTF-8 text); give an undamaged JSONL " +
            "file, plain or gzipped.", refusal(directory.resolve("series.jsonl")));
        assertEquals("the series of accepted drafts " + directory + " is a directory; give the path of a JSONL file.",
            refusal(directory));
        final Path missing = directory.resolve("missing");
        assertEquals("the series of accepted drafts " + missing + " is not there; give the path of a JSONL file.",
            refusal(missing));
    }
}
