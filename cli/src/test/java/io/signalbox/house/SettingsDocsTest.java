// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.cli.CommandEntry;
import io.signalbox.cli.options.OptionNames;
import io.signalbox.config.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * docs/settings.md and the help say of every setting what it declares. {@code -Dsignalbox.write=true} writes the tables
 * anew.
 */
class SettingsDocsTest
{
    private static final Path PAGE = Path.of(System.getProperty("signalbox.root")).resolve("docs/settings.md");
    private static final String FIRST = "## " + ConfigObject.ALL.get(0).title() + "\n";
    private static final String HEAD =
        "| setting | option | unit | default | allowed | |\n| --- | --- | --- | --- | --- | --- |\n";
    private static final Pattern DEFAULT = Pattern.compile("(?:default|for conversations): ([^\\s);]*[^\\s);.])");
    private static final Pattern RANGE = Pattern.compile(" ([0-9][0-9e.]*) to ([0-9][0-9e.]*)");

    private static String tables()
    {
        final StringBuilder text = new StringBuilder();
        for (final ConfigObject object : ConfigObject.ALL)
        {
            text.append(text.isEmpty() ? "" : "\n").append("## ").append(object.title()).append("\n\n`")
                .append(object.type().getName()).append("`\n\n").append(HEAD);
            for (final Setting<?> setting : object.settings())
            {
                final String option = object.options() ? OptionNames.of(setting.name()) : null;
                text.append("| `").append(setting.name()).append("` | ")
                    .append(option == null ? "" : "`" + option + "`").append(" | ").append(setting.unit()).append(" | ")
                    .append(defaultOf(setting)).append(isTurnedOnByCommands(setting, option) ? "; commands: true" : "")
                    .append(" | ").append(setting.allowed()).append(" | ")
                    .append(setting.meaning()).append(" |\n");
            }
        }
        return text.toString();
    }

    /** An option that turns something off is for a setting that commands turn on. */
    private static boolean isTurnedOnByCommands(final Setting<?> setting, final String option)
    {
        return option != null && option.startsWith("--no-") && defaultOf(setting).equals("false");
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

    @ParameterizedTest
    @ValueSource(strings = {"simulate", "compare", "gpu"})
    void shouldNameInTheHelpTheDefaultsThatTheSettingsDeclare(final String command)
    {
        final CommandLine line = CommandEntry.model().subcommands().get(command);
        final List<Setting<?>> settings = ConfigObject.ALL.stream()
            .filter(object -> object.options() && command.equals("gpu") == object.type().getName().contains(".cuda."))
            .<Setting<?>>flatMap(object -> object.settings().stream()).toList();
        int compared = 0;
        for (final Setting<?> setting : settings)
        {
            final OptionSpec option = line.getCommandSpec().findOption(String.valueOf(OptionNames.of(setting.name())));
            // The default of --cells is a list of several.
            compared += option == null || option.longestName().equals("--cells") ? 0 : compare(setting, option);
        }
        assertTrue(compared > 5, command + " names " + compared + " defaults");
    }

    private static <T> int compare(final Setting<T> setting, final OptionSpec option)
    {
        final String described = String.join(" ", option.description())
            .replace("${DEFAULT-VALUE}", String.valueOf(option.defaultValueString()));
        final Matcher range = RANGE.matcher(described);
        if (range.find())
        {
            assertTrue(setting.allowed().endsWith(" between " + range.group(1) + " and " + range.group(2)),
                option.longestName() + ": " + described + "; " + setting.allowed());
        }
        final Matcher named = DEFAULT.matcher(described);
        if (!named.find() || List.of("all", "as", "drawn,", "one", "1,048,576").contains(named.group(1)))
        {
            return 0;
        }
        final String text = setting.type().equals("choice") ? named.group(1).replace('-', '_') : named.group(1);
        final boolean seconds = option.paramLabel().equals("SECONDS");
        final String declared = defaultOf(setting);
        final boolean same = seconds ? (long)(Double.parseDouble(text) * 1e9) == Long.parseLong(declared) :
            declared.equalsIgnoreCase(text) || setting.parse(text).equals(setting.defaultValue());
        assertTrue(same, option.longestName() + " names " + text + ", and " + setting + " declares " + declared);
        return 1;
    }
}
