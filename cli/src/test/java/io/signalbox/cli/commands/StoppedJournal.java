// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.ReadProgress;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The journal of a run with requests and steps that have not ended. */
final class StoppedJournal
{
    private StoppedJournal()
    {
    }

    /** Writes the first groups of a run as a complete journal, next to the journal of the run. */
    static Path write(final Path place, final int groups)
    {
        final Path run = place.resolveSibling(place.getFileName() + "-run");
        assertEquals(ExitCode.OK, CommandRun.of("simulate", "--conversations=4", "--ranks=2", "--steps-in-flight=2",
            "--no-capture", "--no-verify", "--journal", run.toString()).exitCode());
        try (JournalReader reader = JournalReader.open(run, ReadProgress.NONE);
            JournalWriter writer = JournalWriter.create(place, reader.settings(), JournalConfig.of(Durability.PROCESS)))
        {
            for (int i = 0; i < groups; i++)
            {
                assertTrue(reader.next());
                writer.append(reader.timeNanos(), reader.group(), 0, reader.groupLength(), null);
            }
        }
        return place;
    }
}
