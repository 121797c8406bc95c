// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TraceTextTest
{
    @TempDir
    private Path directory;

    private List<String> lines(final String content, final int maxLine, final long maxChars) throws IOException
    {
        final Path file = Files.write(directory.resolve("trace"), content.getBytes(StandardCharsets.UTF_8));
        try (TraceText text = TraceText.open(TraceText.TRACE, file, maxLine, maxChars))
        {
            final List<String> lines = new ArrayList<>();
            for (String line = text.nextLine(); line != null; line = text.nextLine())
            {
                lines.add(line);
            }
            return lines;
        }
    }

    @Test
    void shouldSplitLinesAsTheJdkDoes() throws IOException
    {
        final Random random = new Random(7);
        for (int round = 0; round < 300; round++)
        {
            final StringBuilder content = new StringBuilder();
            final int length = random.nextInt(40);
            for (int i = 0; i < length; i++)
            {
                content.append("a\u00e9\n\r\n\r".charAt(random.nextInt(6)));
            }
            // Long enough that a buffer ends within the pattern.
            final String text = round % 10 == 0 ? "x".repeat((1 << 16) - length / 2) + content : content.toString();
            assertEquals(
                new BufferedReader(new StringReader(text)).lines().toList(), lines(text, 1 << 20, 1 << 20), text);
        }
    }

    @Test
    void shouldRefuseALineThatIsTooLong() throws IOException
    {
        assertEquals(List.of("12345", "12345"), lines("12345\n12345", 5, 100));
        final String message = assertThrows(ConfigException.class, () -> lines("12345\n123456\n", 5, 100)).getMessage();
        assertTrue(message.endsWith("trace, line 2, has more than 5 characters, the most that a line may have; " +
            "give a file with shorter lines."), message);
    }

    @Test
    void shouldRefuseATextThatIsTooLong() throws IOException
    {
        assertEquals(3, lines("\n\n\n", 5, 3).size());
        final String message = assertThrows(ConfigException.class, () -> lines("\n\n\n\n", 5, 3)).getMessage();
        assertTrue(message.contains("line 1, is past the first 3 characters, the most that a trace may have"), message);
    }
}
