// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** docs/measured/routers.md has the head, the order and the commands of the script that writes it. */
class MeasuredRoutersTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));

    /** Lines without tables, dates and blank lines. */
    private static List<String> withoutFigures(final String page)
    {
        return Arrays.stream(page.split("\n")).filter(line -> !line.startsWith("|") && !line.isBlank())
            .map(line -> line.replaceAll("\\d{4}-\\d{2}-\\d{2}", "DATE")).toList();
    }

    @Test
    void shouldBeThePageThatTheScriptWrites() throws IOException, InterruptedException
    {
        final Process script = new ProcessBuilder("sh", ROOT.resolve("scripts/measure-routers").toString(), "--dry-run")
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        final String written = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, script.waitFor());

        assertEquals(String.join("\n", withoutFigures(written)),
            String.join("\n", withoutFigures(Files.readString(ROOT.resolve("docs/measured/routers.md")))));
    }
}
