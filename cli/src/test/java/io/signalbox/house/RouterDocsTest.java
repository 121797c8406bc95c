// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.config.Setting;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * docs/routers.md says of every router what it declares, and shows the sample as it is. {@code -Dsignalbox.write=true}
 * writes the table of knobs anew.
 */
class RouterDocsTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Path PAGE = ROOT.resolve("docs/routers.md");
    private static final String HEAD = "| `--router` | knob | default | allowed | |\n| --- | --- | --- | --- | --- |\n";

    private static String table()
    {
        final StringBuilder table = new StringBuilder(HEAD);
        for (final DpRouterProvider router : DpRouters.installed().all())
        {
            for (final Setting<?> knob : router.knobs())
            {
                final String unit = knob.unit().isEmpty() ? "" : ", in " + knob.unit();
                table.append("| `").append(router.label()).append("` | `").append(knob.name()).append("` | ")
                    .append(defaultOf(knob)).append(" | ").append(knob.allowed()).append(unit).append(" | ")
                    .append(knob.meaning()).append(" |\n");
            }
        }
        return table.toString();
    }

    private static <T> String defaultOf(final Setting<T> knob)
    {
        return knob.print(knob.defaultValue());
    }

    @Test
    void shouldHaveTheTableOfKnobsThatTheRoutersDeclare() throws IOException
    {
        final String page = Files.readString(PAGE);
        final int begin = page.indexOf(HEAD);
        assertTrue(begin >= 0, "the page has the table");
        final int end = page.indexOf("\n\n", begin) + 1;
        if (Boolean.getBoolean("signalbox.write"))
        {
            Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
            return;
        }
        assertEquals(table(), page.substring(begin, end), "write it with -Dsignalbox.write=true");
    }

    @Test
    void shouldHaveARowForEveryRouter() throws IOException
    {
        final List<String> labels = new ArrayList<>();
        for (final String line : Files.readAllLines(PAGE))
        {
            if (line.startsWith("## Knobs"))
            {
                break;
            }
            if (line.startsWith("| `") && !line.startsWith("| `--"))
            {
                labels.add(line.substring(3, line.indexOf('`', 3)));
            }
        }
        final List<String> declared =
            new ArrayList<>(DpRouters.installed().all().stream().map(DpRouterProvider::label).toList());
        declared.sort(null);
        labels.sort(null);
        assertEquals(declared, labels);
    }

    @Test
    void shouldShowTheSampleAsItIs() throws IOException
    {
        final String sample = Files.readString(ROOT.resolve(
            "samples/router-plugin/src/main/java/com/example/router/QueueAwareDpRouter.java"));
        assertTrue(Files.readString(PAGE).contains("```java\n" + sample.substring(sample.indexOf('\n') + 1) + "```\n"));
    }
}
