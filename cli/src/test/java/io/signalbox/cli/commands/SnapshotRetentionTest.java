// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The limits of {@code snapshot}: refused by name, or kept to as far as snapshots and requests allow. */
class SnapshotRetentionTest
{
    @TempDir
    private Path directory;

    private void assertRefused(final String reason, final String... options)
    {
        final String[] arguments = new String[options.length + 2];
        arguments[0] = "snapshot";
        arguments[1] = directory.toString();
        System.arraycopy(options, 0, arguments, 2, options.length);
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertTrue(run.err().contains(reason), run.err());
    }

    @Test
    void shouldRefuseLimitsThatMeanNothing()
    {
        assertRefused("--scheduler is not given", "--max-bytes=5");
        assertRefused("--max-bytes=-1 is not a whole number at least 0", "--scheduler", "--max-bytes=-1");
        assertRefused("--max-segments=0 is not a whole number between 1", "--scheduler", "--max-segments=0");
        assertRefused("--older-than=40000 is not a number between 0 and 36500", "--scheduler", "--older-than=40000");
        assertRefused("--older-than=-0.5 is not a number between 0 and 36500", "--scheduler", "--older-than=-0.5");
    }

    @Test
    void shouldKeepTheSegmentThatWasWrittenLast()
    {
        final String journal = directory.resolve("journal").toString();
        final CommandRun written = CommandRun.of("simulate", "--conversations=6", "--journal", journal, "--no-verify");
        assertEquals(ExitCode.OK, written.exitCode(), written.err());
        final CommandRun run = CommandRun.of("snapshot", journal, "--scheduler", "--max-bytes=0");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("removed           0 segments, 0 bytes; the journal begins at record 0"), run.out());
        assertEquals(ExitCode.OK, CommandRun.of("replay", journal).exitCode());
    }
}
