// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code compare --html}: what is on the page, and that nothing in it comes from outside unescaped. */
class ComparisonPageTest
{
    /** If the page was changed on purpose, take the new one. */
    private static final String DIGEST = "082a1168a34a907b112788079af3c7b55193179d6a2b375741e4615c1a925900";
    private static final List<String> SMALL =
        List.of("--ranks", "2", "--conversations", "10", "--router", "signalbox,round-robin", "--kv-blocks", "1025,2049");

    @TempDir
    private Path directory;

    private String compared(final List<String> options, final String... more) throws IOException
    {
        final Path page = directory.resolve("page.html");
        final List<String> arguments = new ArrayList<>(List.of("compare"));
        arguments.addAll(options);
        arguments.addAll(List.of(more));
        arguments.addAll(List.of("--html", page.toString()));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return Files.readString(page);
    }

    @Test
    void shouldHaveTheSameBytesOnEveryMachine() throws IOException
    {
        final String page = compared(SMALL, "--seeds", "2", "--slo", "ttft=40ms");

        assertEquals(page, compared(SMALL, "--seeds", "2", "--slo", "ttft=40ms", "--workers", "1"));
        PageText.assertDigest(DIGEST, page);
        PageText.assertForbidsTheNetwork(page);
        assertTrue(page.contains("<code>signalbox compare --ranks 2 --conversations 10 --router signalbox,round-robin " +
            "--kv-blocks 1025,2049 --seeds 2 --slo ttft=40ms</code>"), page);
    }

    /** The figures of the page are those of the JSON document. */
    @Test
    void shouldSayWhoIsBest() throws IOException
    {
        final Path json = directory.resolve("table.json");
        final String page = compared(SMALL, "--seeds", "1", "--json-file", json.toString());
        final Map<String, String> leaves = JsonText.leaves(Files.readString(json));

        assertEquals("signalbox", leaves.get("cells[0].router"));
        assertEquals("true", leaves.get("cells[0].ttftP99Ms.best"));
        assertTrue(page.contains("<b>conversations</b>: <b>signalbox</b> has the lowest TTFT p99"), page);
        final double times = Double.parseDouble(leaves.get("cells[1].ttftP99Ms.mean")) /
            Double.parseDouble(leaves.get("cells[0].ttftP99Ms.mean"));
        assertTrue(page.contains("round-robin: ") && page.contains(
            String.format(Locale.ROOT, ", %.2f times the best", times)), times + "\n" + page);
    }

    /** With one router there is nothing to be better than; the page shows what the cache sizes change. */
    @Test
    void shouldShowASingleRouterWithOneSeed() throws IOException
    {
        final String page = compared(List.of("--ranks", "1", "--conversations", "3", "--router", "default"), "--seeds", "1");

        assertTrue(page.contains("<h1>Router default</h1>"), page);
        assertFalse(page.contains("Differences to the best router"), page);
        assertFalse(page.contains("\u00b1") || page.contains("NaN"), page);
    }

    @Test
    void shouldEscapeTheNameOfATrace() throws IOException
    {
        final Path trace = directory.resolve("a<b x=\"1\">'&.jsonl");
        Files.writeString(trace, "{\"timestamp\": 0, \"input_length\": 20, \"output_length\": 4, \"hash_ids\": [1]}\n");
        final String page = compared(List.of("--ranks", "1", "--workloads", trace.toString(), "--block-size", "512",
            "--router", "default,round-robin", "--seeds", "1"));

        assertFalse(page.contains("<b x="), page);
        assertTrue(page.contains("a&lt;b x=&quot;1&quot;&gt;&#39;&amp;.jsonl</b>"), page);
    }
}
