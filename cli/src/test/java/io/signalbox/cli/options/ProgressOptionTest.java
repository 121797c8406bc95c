// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.cli.CommandEntry;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import java.util.List;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A journal may be larger than memory: each command that reads one says how much is left. */
class ProgressOptionTest
{
    @Test
    void shouldShowProgressOfEveryCommandThatReadsAJournal()
    {
        final TreeSet<String> silent = new TreeSet<>();
        final TreeSet<String> reading = new TreeSet<>();
        for (final CommandLine command : CommandEntry.model().subcommands().values())
        {
            final boolean reads = command.getCommandSpec().positionalParameters().stream()
                .anyMatch(parameter -> parameter.paramLabel().equals("JOURNAL"));
            if (reads)
            {
                reading.add(command.getCommandName());
            }
            if (reads && command.getCommandSpec().findOption("--progress") == null)
            {
                silent.add(command.getCommandName());
            }
        }
        assertEquals(List.of(), List.copyOf(silent));
        assertTrue(reading.containsAll(List.of("replay", "inspect", "whatif", "diff", "trace", "timeline", "redact",
            "experts", "snapshot")), reading.toString());
    }
}
