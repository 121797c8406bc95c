// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.cli.CommandEntry;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.OptionSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Options that choose a constant of an enum explain and complete the values that they take. */
class ChoiceTest
{
    private static Map<String, OptionSpec> choices()
    {
        final Map<String, OptionSpec> choices = new TreeMap<>();
        CommandEntry.model().subcommands().values().forEach(command ->
            command.getCommandSpec().options().stream().filter(option -> option.type().isEnum())
                .forEach(option -> choices.putIfAbsent(option.longestName(), option)));
        return choices;
    }

    @Test
    void shouldConvertEveryEnum()
    {
        assertEquals(List.of("--format", "--inherited", "--journal-tokens", "--split"), List.copyOf(choices().keySet()));
        choices().values().forEach(option ->
            assertInstanceOf(Choice.class, option.converters()[0], option.longestName()));
    }

    @Test
    void shouldExplainAndCompleteItsValues()
    {
        for (final OptionSpec option : choices().values())
        {
            final Choice<?> choice = (Choice<?>)option.converters()[0];
            final String help = String.join(" ", option.description());
            final List<String> values = new ArrayList<>();
            choice.forEach(values::add);
            final List<String> completed = new ArrayList<>();
            option.completionCandidates().forEach(completed::add);
            assertEquals(values, completed, option.longestName());
            for (final String value : values)
            {
                assertTrue(help.matches(".*\\b" + value + "\\b.*"), help + " lacks " + value);
                assertEquals(value.replace('-', '_'), choice.convert(value).name().toLowerCase(Locale.ROOT));
            }
            final String standard = option.initialValue().toString().toLowerCase(Locale.ROOT).replace('_', '-');
            assertTrue(help.endsWith("(default: " + standard + ")."), help);
        }
    }
}
