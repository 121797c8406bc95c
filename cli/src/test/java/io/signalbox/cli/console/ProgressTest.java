// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ProgressTest
{
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final String WIPE = "\r\u001b[K";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicLong clock = new AtomicLong();

    @Test
    void shouldPrintNothingUnlessItIsAskedForOrOnATerminal()
    {
        try (Progress progress = progress(false, false, 100))
        {
            steps(progress, 60, 100);
            progress.showNow(1, 2, "now");
        }

        assertEquals("", err());
        assertEquals("", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldDrawNothingForATaskThatEndsSoon()
    {
        try (Progress progress = progress(true, false, 100))
        {
            clock.addAndGet(SECOND_NANOS / 4);
            progress.show(1, 2, () -> "soon");
        }

        assertEquals("", err());
    }

    @Test
    void shouldRedrawABarWithTheRemainingTimeAndWipeIt()
    {
        try (Progress progress = progress(true, false, 100))
        {
            steps(progress, 2, 4);
        }

        assertEquals(WIPE + "[#####---------------] 25 %, 3 s left, 1 of 4" +
            WIPE + "[##########----------] 50 %, 2 s left, 2 of 4" + WIPE, err());
    }

    @Test
    void shouldPrintALineFromTimeToTimeElsewhere()
    {
        try (Progress progress = progress(false, true, 100))
        {
            steps(progress, 12, 1_200);
        }

        assertEquals("signalbox replay: 0 %, 5 of 1200\n" +
            "signalbox replay: 0 %, 19 min 50 s left, 10 of 1200\n", err());
    }

    @Test
    void shouldPrintTheElapsedTimeIfTheTotalIsUnknown()
    {
        try (Progress progress = progress(true, false, 100))
        {
            clock.addAndGet(SECOND_NANOS);
            progress.show(7, 0, () -> "7 read");
            clock.addAndGet(SECOND_NANOS);
            progress.show(9, 8, () -> "9 read");
        }

        assertEquals(WIPE + "7 read, 1 s" + WIPE + "9 read, 2 s" + WIPE, err());
    }

    @Test
    void shouldKeepToOneLineOfTheTerminal()
    {
        try (Progress progress = progress(true, false, 60))
        {
            clock.addAndGet(SECOND_NANOS);
            progress.show(1, 2, () -> "a".repeat(200));
        }

        for (final String line : err().split(WIPE.replace("[", "\\[")))
        {
            assertTrue(line.length() < 60, line);
        }
    }

    @Test
    void shouldPrintDurationsInTwoUnitsAtMost()
    {
        assertEquals("0 s", Progress.duration(0));
        assertEquals("59 s", Progress.duration(59 * SECOND_NANOS));
        assertEquals("3 min 20 s", Progress.duration(200 * SECOND_NANOS));
        assertEquals("2 h 5 min", Progress.duration(7_500 * SECOND_NANOS));
    }

    private void steps(final Progress progress, final int count, final int total)
    {
        for (int i = 1; i <= count; i++)
        {
            final int done = i;
            clock.addAndGet(SECOND_NANOS);
            progress.show(done, total, () -> done + " of " + total);
        }
    }

    private Progress progress(final boolean terminal, final boolean asked, final int columns)
    {
        final Console console =
            new Console(new ResultStream(out), new PrintStream(err, true, StandardCharsets.UTF_8), terminal, columns);
        return new Progress(console, "signalbox replay", asked, clock::get);
    }

    private String err()
    {
        return err.toString(StandardCharsets.UTF_8);
    }
}
