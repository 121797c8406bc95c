// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Kills a writing process with SIGKILL at random moments: 8 times reduced, 200 times full. */
final class KillTest
{
    @TempDir
    Path temporary;

    @Test
    void shouldHoldEveryAcknowledgedGroupAfterAKill() throws IOException, InterruptedException
    {
        final Random random = new Random(7);
        for (int i = 0; i < TestStrength.count(5, 200); i++)
        {
            final Path journal = temporary.resolve("journal-" + i);
            final Durability durability = i % 4 == 3 ? Durability.BATCH : Durability.PROCESS;
            check(journal, killAfter(journal, durability, random.nextInt(400)));
        }
    }

    @Test
    void shouldNameTheProcessThatIsStillWriting() throws IOException, InterruptedException
    {
        final Path journal = temporary.resolve("journal");
        final Process child = start(journal, Durability.PROCESS);
        try (BufferedReader lines = child.inputReader(StandardCharsets.US_ASCII))
        {
            assertEquals("0", lines.readLine());
            final JournalException refusal = assertThrows(JournalException.class, () -> readToItsEnd(journal));
            final JournalException recovery =
                assertThrows(JournalException.class, () -> JournalRecovery.recover(journal));

            assertEquals(JournalException.Kind.BEING_WRITTEN, refusal.kind(), refusal.getMessage());
            assertTrue(refusal.getMessage().contains("pid " + child.pid()), refusal.getMessage());
            assertEquals(JournalException.Kind.LOCKED, recovery.kind());
            assertTrue(recovery.getMessage().contains("pid " + child.pid()), recovery.getMessage());
        }
        finally
        {
            child.toHandle().destroyForcibly();
            child.waitFor();
        }
    }

    private static void readToItsEnd(final Path journal)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            boolean more = true;
            while (more)
            {
                more = reader.next();
            }
        }
    }

    /** Returns the last group that the child acknowledged; -1 if it acknowledged none. */
    private static int killAfter(final Path journal, final Durability durability, final int acknowledgements)
        throws IOException, InterruptedException
    {
        final Process child = start(journal, durability);
        int last = -1;
        try (BufferedReader lines = child.inputReader(StandardCharsets.US_ASCII))
        {
            String line = lines.readLine();
            assertTrue(line != null, "the child died before it wrote a group");
            while (line != null)
            {
                last = Integer.parseInt(line);
                if (last == acknowledgements)
                {
                    // By its handle: Process.destroyForcibly would close the stream with acknowledgements still in it.
                    child.toHandle().destroyForcibly();
                }
                line = lines.readLine();
            }
        }
        assertEquals(128 + 9, child.waitFor());
        return last;
    }

    private static Process start(final Path journal, final Durability durability) throws IOException
    {
        return JavaProcess.start(KilledWriter.class, journal.toString(), durability.name());
    }

    private static void check(final Path journal, final int acknowledged)
    {
        final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);
        assertTrue(recovery.groups() > acknowledged, recovery + " after acknowledging " + acknowledged);
        try (JournalReader reader = JournalReader.open(journal))
        {
            for (int i = 0; i < recovery.groups(); i++)
            {
                assertTrue(reader.next());
                assertEquals(KilledWriter.group(i), reader.group());
            }
            assertFalse(reader.next());
            assertEquals(Ending.RECOVERED, reader.ending());
            assertEquals(recovery.digest(), reader.digest());
        }
    }
}
