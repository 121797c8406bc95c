// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.Flag;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.SpaceReserve;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Files beside the records, each byte of them; declarations of void inputs; and several programs in one directory. */
@Tag("threads")
final class BesideRecordsTest
{
    private static final int GROUPS = 1_600;
    private static final int EVERY = 600;

    @TempDir
    private Path directory;

    /** A journal as a killed writer leaves it. */
    private Path killed(final String name) throws IOException
    {
        final Path written = directory.resolve("written");
        final Path killed = directory.resolve(name);
        try (JournalWriter writer = JournalWriter.create(written, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 12);
            KilledCopy.of(written, killed);
        }
        return killed;
    }

    /** A journal of a killed writer whose last append did not finish, after its recovery. */
    private Path recovered() throws IOException
    {
        final Path journal = killed("recovered");
        final Path file = DirectoryFiles.of(journal).dataFile(0);
        final byte[] bytes = Files.readAllBytes(file);
        int end = bytes.length;
        while (bytes[end - 1] == 0)
        {
            end--;
        }
        Arrays.fill(bytes, end - 20, end, (byte)0);
        Files.write(file, bytes);
        assertTrue(JournalRecovery.recover(journal).cutBytes() > 0);
        return journal;
    }

    /** Bytes that recovery kept aside, and the lock, are in no answer, whatever they hold. */
    @Test
    void shouldNotDependOnCutBytesOrTheLock() throws IOException
    {
        final Path journal = recovered();
        final String digest = JournalVerifier.verify(journal, Scheduler::new).digest();
        for (final String name : List.of("segment-00000.cut", SegmentName.LOCK))
        {
            final Path file = journal.resolve(name);
            final byte[] good = Files.readAllBytes(file);
            for (int i = 0; i <= good.length; i += TestStrength.count(41, 1))
            {
                final byte[] changed = Arrays.copyOf(good, i);
                if (i > 0)
                {
                    changed[i / 2] ^= 0x55;
                }
                Files.write(file, changed);
                assertEquals(digest, JournalVerifier.verify(journal, Scheduler::new).digest(), name + ", length " + i);
                assertTrue(JournalRecovery.recover(journal).nothingToDo());
            }
            Files.write(file, good);
        }
    }

    /** Each byte of a segment that declares an input void: the truth or a refusal, never the void input as if it counted. */
    @Test
    void shouldReadDeclarationsOrRefuseThem() throws IOException
    {
        final Path journal = directory.resolve("journal");
        final Scheduler scheduler = new Scheduler(Runs.CONFIG);
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, scheduler, 0, 3);
            final InputWriter reset = new InputWriter();
            reset.backendReset().timeNanos(1).newEpoch(1).rank(99).kvMemoryKept(Flag.NO);
            final DirectBuffer group = Runs.group(reset);
            writer.append(5000, group, 0, group.capacity(), null);
            Runs.append(writer, scheduler, 3, 6);
        }
        InputVoiding.apply(journal, 4, DpRouters.installed(), Scheduler::new, ReadProgress.NONE);
        final Verification whole = JournalVerifier.verify(journal, Scheduler::new);
        assertTrue(whole.matches());
        final Path file = DirectoryFiles.of(journal).dataFile(1);
        final byte[] good = Files.readAllBytes(file);
        final List<Scans.Range> records = Scans.records(MemoryFiles.copyOf(journal), 1);
        final int begin = (int)records.get(0).from();
        final int end = (int)records.get(records.size() - 1).to();
        int tried = 0;
        int refused = 0;
        for (int i = begin; i < end; i += TestStrength.count(37, 1))
        {
            final byte[] changed = good.clone();
            changed[i] ^= (byte)(1 << i % Byte.SIZE);
            Files.write(file, changed);
            tried++;
            try
            {
                final Verification found = JournalVerifier.verify(journal, Scheduler::new);
                // Without its declaration the input throws again, ahead of the damaged segment.
                assertTrue(found.matches() || found.difference().thrown(), "byte " + i);
                refused += found.matches() ? 0 : 1;
                assertTrue(!found.matches() || found.digest().equals(whole.digest()), "byte " + i);
            }
            catch (final JournalException e)
            {
                refused++;
            }
        }
        assertTrue(refused > tried / 2, refused + " of " + tried + " refused");
    }

    private Path withSnapshots()
    {
        final Path journal = directory.resolve("kept");
        EndedRuns.write(journal, GROUPS);
        EndedRuns.snapshots(journal, EVERY);
        return journal;
    }

    @Test
    @Timeout(600)
    void shouldAgreeWithOtherProcessesThatRemoveAtOnce() throws Exception
    {
        final Path journal = withSnapshots();
        final Path alone = KilledCopy.of(journal, directory.resolve("alone"));
        final int expected = EndedRuns.keepSegments(alone, 1).segments();
        final List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            processes.add(JavaProcess.start(Pruner.class, journal.toString()));
        }
        int removed = 0;
        for (final Process process : processes)
        {
            final String said =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            // One that looks while another one removes a file is to look again.
            assertTrue(List.of(Kind.LOCKED.name(), Kind.STORE_FAILED.name()).contains(said) || said.matches("\\d+"), said);
            removed += said.matches("\\d+") ? Integer.parseInt(said) : 0;
        }
        assertEquals(expected, removed);
        assertEquals(EndedRuns.names(alone), EndedRuns.names(journal));
        assertTrue(JournalVerifier.verifyKept(journal, EndedRuns.ROUTERS, ReadProgress.NONE).matches());
    }

    /** A second thread is refused, and its refusal does not give the first one's lock away. */
    @Test
    @Timeout(600)
    void shouldKeepTheLockWhileAnotherThreadIsRefused() throws Exception
    {
        final Path journal = withSnapshots();
        final CountDownLatch reading = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        final ReadProgress held = (doneBytes, totalBytes) ->
        {
            reading.countDown();
            await(go);
        };
        final ExecutorService threads = Executors.newSingleThreadExecutor();
        try
        {
            final Future<UpkeepListener.Removal> first = threads.submit(() -> new JournalRetention(
                journal, RetentionLimits.NONE.withMostSegments(1), EndedRuns.ROUTERS, held, EndedRuns.UNSEEN).apply());
            await(reading);
            final JournalException second =
                assertThrows(JournalException.class, () -> EndedRuns.keepSegments(journal, 1));
            assertEquals(Kind.LOCKED, second.kind());
            assertTrue(second.getMessage().startsWith("another thread of this process removes"), second::getMessage);
            final Process other = JavaProcess.start(Pruner.class, journal.toString());
            assertEquals(Kind.LOCKED.name(),
                new String(other.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
            go.countDown();
            assertTrue(first.get().segments() > 0);
        }
        finally
        {
            go.countDown();
            threads.shutdownNow();
        }
        assertTrue(JournalVerifier.verifyKept(journal, EndedRuns.ROUTERS, ReadProgress.NONE).matches());
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** Blocks that a killed writer had reserved are free again once its run is recovered; no byte is another one. */
    @Test
    void shouldFreeTheReserveOfAKilledWriter() throws IOException
    {
        final Path killed = killed("killed");
        final Path file = DirectoryFiles.of(killed).dataFile(0);
        final byte[] before = Files.readAllBytes(file);
        final SpaceReserve reserve = new SpaceReserve(file, 1 << 20, 8 << 20);
        reserve.require(before.length);
        final long reserved = allocated(file);
        assertTrue(reserved >= 8 << 20, reserved + " bytes are reserved");
        JournalRecovery.recover(killed);
        assertTrue(allocated(file) < 1 << 20, allocated(file) + " bytes are left");
        assertTrue(Arrays.equals(before, Files.readAllBytes(file)));
        assertFalse(JournalVerifier.verify(killed, Scheduler::new).ending() == Ending.OPEN);
    }

    private static long allocated(final Path file) throws IOException
    {
        final Process stat = new ProcessBuilder("stat", "-c", "%b %B", file.toString()).start();
        final String[] words =
            new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip().split(" ");
        return Long.parseLong(words[0]) * Long.parseLong(words[1]);
    }
}
