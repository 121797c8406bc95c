// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingOption;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * docs/settings.md says of every setting what it declares. {@code -Dsignalbox.write=true} writes the tables
 * anew.
 */
class SettingsDocsTest
{
    private static final Path PAGE = Path.of(System.getProperty("signalbox.root")).resolve("docs/settings.md");
    private static final String FIRST = "## " + ConfigObject.ALL.get(0).title() + "\n";
    private static final String HEAD =
        "| setting | option | unit | default | allowed | |\n| --- | --- | --- | --- | --- | --- |\n";
    private static final String NAMES = """
        ## Names in other systems

        Help names the same settings. If values have another unit or the opposite sense, the table says so.

        | setting | vLLM | SGLang | TensorRT-LLM |
        | --- | --- | --- | --- |
        """;

    private static String tables()
    {
        final StringBuilder text = new StringBuilder();
        for (final ConfigObject object : ConfigObject.ALL)
        {
            text.append(text.isEmpty() ? "" : "\n").append("## ").append(object.title()).append("\n\n`")
                .append(object.type().getName()).append("`\n\n").append(HEAD);
            for (final Setting<?> setting : object.settings())
            {
                final SettingOption option = setting.option();
                text.append("| `").append(setting.name()).append("` | ")
                    .append(option == null ? "" : "`" + option.shownName() + "`").append(" | ").append(setting.unit())
                    .append(" | ").append(defaultOf(setting)).append(" | ").append(setting.allowed()).append(" | ")
                    .append(setting.meaning()).append(" |\n");
            }
        }
        return text.append('\n').append(names()).toString();
    }

    /** The names of settings in other systems. */
    private static String names()
    {
        final StringBuilder text = new StringBuilder(NAMES);
        ConfigObject.ALL.stream().flatMap(object -> object.settings().stream())
            .filter(setting -> !setting.elsewhere().isEmpty()).forEach(setting -> text.append("| `").append(setting.name())
                .append("` | ").append(setting.elsewhere().vllm()).append(" | ").append(setting.elsewhere().sglang())
                .append(" | ").append(setting.elsewhere().tensorRtLlm()).append(" |\n"));
        return text.toString();
    }

    private static <T> String defaultOf(final Setting<T> setting)
    {
        return setting.print(setting.defaultValue());
    }

    @Test
    void shouldHaveTheTablesThatTheSettingsDeclare() throws IOException
    {
        final String page = Files.readString(PAGE);
        final int begin = page.indexOf(FIRST);
        assertTrue(begin >= 0, "the page has the tables");
        if (Boolean.getBoolean("signalbox.write"))
        {
            Files.writeString(PAGE, page.substring(0, begin) + tables());
            return;
        }
        assertEquals(tables(), page.substring(begin), "write them with -Dsignalbox.write=true");
    }
}
