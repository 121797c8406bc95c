// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What readers and recovery say of a directory that somebody else changed. */
final class DamagedDirectoryTest
{
    @TempDir
    Path temporary;

    @Test
    void shouldNotAdviseToRemoveAJournalWhoseRecordsAreGone() throws IOException
    {
        final Path journal = closedJournal();
        final Path file = journal.resolve("segment-00000/19700101F.cq4");
        final byte[] whole = Files.readAllBytes(file);
        final int firstRecord = (int)Scans.records(MemoryFiles.copyOf(journal), 0).get(0).from();
        assertTrue(firstRecord > 60_000);
        for (final int length : new int[]{0, 3, 100, 65_535, firstRecord, firstRecord + 100})
        {
            Files.write(file, Arrays.copyOf(whole, length));
            checkNoRecord(journal);
        }
        Files.delete(file);
        checkNoRecord(journal);
    }

    private static void checkNoRecord(final Path journal)
    {
        final JournalException verify = refusalToVerify(journal);
        final JournalException recover = refusalToRecover(journal);

        assertEquals(Kind.NO_RECORD, verify.kind(), verify.getMessage());
        assertEquals(Kind.NO_RECORD, recover.kind(), recover.getMessage());
        assertEquals(verify.getMessage(), recover.getMessage());
        assertTrue(verify.getMessage().startsWith(journal + " holds no whole record"), verify.getMessage());
        assertTrue(verify.getMessage().endsWith("if it ever held one, restore it from a copy."), verify.getMessage());
    }

    private Path closedJournal()
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 10, Runs.options(Durability.PROCESS));
        return journal;
    }

    private static JournalException refusalToVerify(final Path journal)
    {
        return assertThrows(JournalException.class, () -> JournalVerifier.verify(journal, Scheduler::new));
    }

    private static JournalException refusalToRecover(final Path journal)
    {
        return assertThrows(JournalException.class, () -> JournalRecovery.recover(journal));
    }
}
