// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.cli.CommandEntry;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;

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
        for (final CommandSpec command : CommandEntry.commands().values())
        {
            final boolean reads = command.positionalParameters().stream()
                .anyMatch(parameter -> parameter.paramLabel().equals("JOURNAL"));
            if (reads)
            {
                reading.add(command.name());
            }
            if (reads && command.findOption("--progress") == null)
            {
                silent.add(command.name());
            }
        }
        assertEquals(List.of(), List.copyOf(silent));
        assertTrue(reading.containsAll(List.of("replay", "run", "moment", "whatif", "diff", "trace", "timeline", "redact",
            "experts", "snapshot")), reading.toString());
    }
}
