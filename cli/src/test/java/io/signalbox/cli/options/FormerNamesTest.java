// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.cli.CommandEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

class FormerNamesTest
{
    private static final Map<String, CommandSpec> COMMANDS = CommandEntry.commands();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        run      | --depth=2                  | --steps-in-flight=2
        simulate | --depth 2                  | --steps-in-flight 2
        serve    | --depth 2                  | --steps-in-flight 2
        whatif   | --depth 2                  | --steps-in-flight 2
        compare  | --depth 2 --routers all    | --steps-in-flight 2 --router all
        run      | --output a.jsonl --experts | --out a.jsonl --experts
        snapshot | --most-bytes 5             | --max-bytes 5
        snapshot | --most-segments=5          | --max-segments=5
        runs     | --most-bytes 5             | --max-bytes 5
        simulate | --separate-plays           | --no-shared-prompts
        whatif   | --from 60 --cold           | --at 60 --cold
        timeline | --from 60 --to 65          | --from 60 --to 65
        run      | --output -- --output       | --out -- --output
        """)
    void shouldReplaceFormerNamesOfOptionsOfTheCommand(final String name, final String former, final String current)
    {
        final CommandSpec command = COMMANDS.get(name);
        final List<String> replaced = List.of(FormerNames.replaced(command, former.split(" ")));

        assertEquals(List.of(current.split(" ")), replaced);
        assertNotNull(command.findOption(replaced.get(0).replaceFirst("=.*", "").replace("--no-", "--")), current);
    }

    @Test
    void shouldHideFormerNames()
    {
        for (final CommandSpec command : COMMANDS.values())
        {
            for (final String former : List.of("--depth", "--output", "--most-bytes", "--most-segments", "--routers"))
            {
                assertNull(command.findOption(former), command.qualifiedName());
            }
        }
    }
}
