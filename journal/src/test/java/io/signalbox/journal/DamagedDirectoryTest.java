// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

    @Test
    void shouldRefuseAFileInPlaceOfASegment() throws IOException
    {
        final Path journal = closedJournal();
        Files.move(journal.resolve("segment-00000"), temporary.resolve("elsewhere"));
        Files.createFile(journal.resolve("segment-00000"));

        for (final JournalException refusal : List.of(refusalToVerify(journal), refusalToRecover(journal)))
        {
            assertEquals(Kind.FOREIGN_FILE, refusal.kind());
            assertTrue(refusal.getMessage().contains("segment-00000 is not a directory"), refusal.getMessage());
            assertFalse(refusal.getMessage().contains("Exception"), refusal.getMessage());
        }
    }

    @Test
    void shouldTouchNothingWhereThereIsNothingToRecover() throws IOException
    {
        final Path journal = closedJournal();
        Files.writeString(journal.resolve("lock"), "1");
        final FileTime before = FileTime.fromMillis(1_000);
        Files.setLastModifiedTime(journal.resolve("lock"), before);

        final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);

        assertTrue(recovery.nothingToDo());
        assertEquals(11, recovery.records());
        assertEquals("1", Files.readString(journal.resolve("lock")));
        assertEquals(before, Files.getLastModifiedTime(journal.resolve("lock")));
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
