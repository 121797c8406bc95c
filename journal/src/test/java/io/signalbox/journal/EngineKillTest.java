// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Kills an engine under load with SIGKILL at random moments, a third of them while it opens its journal, on each level of
 * durability; then compares what its clients saw with what they must see. 6 kills reduced, 60 full, or as many as
 * {@code -Dsignalbox.kills} says.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
final class EngineKillTest
{
    private static final int REQUESTS = 100_000;
    private static final int LAST_REQUESTS = 20;
    private static final String ERRORS = "errors";
    /** Kills of one journal: replay gets longer with each. */
    private static final int KILLS_PER_JOURNAL = 10;

    @TempDir
    Path temporary;

    @Test
    void shouldLoseNothingThatWasVisible() throws Exception
    {
        final Random random = new Random(15);
        final int kills = Integer.getInteger("signalbox.kills", Strength.of(6, 60));
        final int journals = Math.max(Durability.values().length, kills / KILLS_PER_JOURNAL);
        for (int i = 0; i < journals; i++)
        {
            final Durability durability = Durability.values()[i % Durability.values().length];
            run(temporary.resolve("journal-" + i), durability, kills / journals + (i < kills % journals ? 1 : 0), random);
        }
    }

    private static void run(final Path journal, final Durability durability, final int kills, final Random random)
        throws IOException, InterruptedException
    {
        final VisibleRequests seen = new VisibleRequests();
        for (int kill = 0; kill < kills; kill++)
        {
            final boolean opening = kill % 3 == 1;
            final Process engine = start(journal, durability, kill, REQUESTS);
            final int line = opening ? 1 + random.nextInt(3) : 10 + random.nextInt(600);
            killOnce(journal, engine, seen, line, random.nextInt(30_000_000));
        }
        final Process last = start(journal, durability, kills, LAST_REQUESTS);
        try (BufferedReader lines = last.inputReader(StandardCharsets.US_ASCII))
        {
            lines.lines().forEach(seen::line);
        }
        assertEquals(0, last.waitFor(), () -> errors(journal));
        assertTrue(seen.isClosed(), "the last engine did not end in order");
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        assertTrue(verification.matches(), () -> String.valueOf(verification.difference()));
        assertEquals(Ending.CLOSED, verification.ending());
        seen.check(journal);
        assertTrue(seen.acknowledgedRows() > kills, "hardly a request had its rows stored before they were released");
        assertTrue(seen.acceptedCount() > 10 * kills && seen.resumedWithTokens() > 0, () -> seen.acceptedCount() +
            " requests, " + seen.resumedWithTokens() + " resumed with tokens: the engines were killed too early");
    }

    private static Process start(final Path journal, final Durability durability, final int engine, final int requests)
        throws IOException
    {
        return JavaProcess.start(journal.resolveSibling(ERRORS), KilledEngine.class, journal.toString(), durability.name(),
            Integer.toString(engine * REQUESTS), Integer.toString(requests));
    }

    /** Kills the engine so many nanoseconds after this line, and reads all that it had printed. */
    private static void killOnce(
        final Path journal, final Process engine, final VisibleRequests seen, final int line, final int laterNanos)
        throws IOException, InterruptedException
    {
        int count = 0;
        try (BufferedReader lines = engine.inputReader(StandardCharsets.US_ASCII))
        {
            for (String text = lines.readLine(); text != null; text = lines.readLine())
            {
                seen.line(text);
                if (++count == line)
                {
                    LockSupport.parkNanos(laterNanos);
                    // By its handle: Process.destroyForcibly would close the stream with lines still in it.
                    engine.toHandle().destroyForcibly();
                }
            }
        }
        assertEquals(128 + 9, engine.waitFor(), () -> "the engine ended before it was killed: " + errors(journal));
        seen.killed();
    }

    private static String errors(final Path journal)
    {
        try
        {
            return Files.readString(journal.resolveSibling(ERRORS));
        }
        catch (final IOException e)
        {
            return e.toString();
        }
    }
}
