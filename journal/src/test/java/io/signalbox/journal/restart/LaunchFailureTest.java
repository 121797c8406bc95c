// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.scheduler.MutatedClasses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A launch that fails leaves the directory free and the run as it was, whatever was thrown, and at which step. */
@Timeout(300)
final class LaunchFailureTest
{
    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldLeaveTheDirectoryFreeWhicheverCallThrows(final int threads)
    {
        assertNull(LaunchFailures.firstFailure(threads));
    }

    /** The file channels of an interrupted thread close under it. */
    @Test
    void shouldLeaveTheDirectoryFreeIfTheThreadIsInterrupted()
    {
        final Path journal = temporary.resolve("journal");
        for (int i = 0; i < 3; i++)
        {
            Thread.currentThread().interrupt();
            try (Incarnation engine = open(journal))
            {
                assertTrue(engine.resumed().isEmpty());
            }
            catch (final RuntimeException e)
            {
                assertNotNull(e.getMessage());
            }
            finally
            {
                Thread.interrupted();
            }
            open(journal).close();
        }
    }

    private static Incarnation open(final Path journal)
    {
        return new Incarnation(new DirectoryJournal(journal, new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18)),
            Incarnation.config(2).build());
    }

    @Test
    void shouldFindALaunchThatKeepsTheDirectory()
    {
        final MutatedClasses classes = MutatedClasses.of("engine/ThreadedEngine.java",
            List.of("            if (!runs)\n", "            if (!runs && context == null)\n"), temporary);
        assertNotNull(classes.call(LaunchFailures.class, "firstFailure", 1));
    }
}
