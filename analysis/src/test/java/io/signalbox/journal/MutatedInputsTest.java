// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import com.dynatrace.hash4j.hashing.Hashing;
import com.sun.management.ThreadMXBean;
import io.signalbox.ConfigException;
import io.signalbox.TestStrength;
import io.signalbox.diff.DiffOf;
import io.signalbox.inspect.QuestionsOf;
import io.signalbox.inspect.RowReplay;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SnapshotFile;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Mutated bytes for everything that reads a journal: 3,000 inputs in a build, 2,000,000 with -Pfull, or so many as
 * -Dsignalbox.mutations says. Each ends in an answer or in the exception that its reader names, within a bound of memory;
 * the longest read is printed. Records of mutated groups and rows have right checksums and links, as of a writer at fault.
 */
@Timeout(value = 12, unit = TimeUnit.HOURS)
final class MutatedInputsTest
{
    private static final int INPUTS = Integer.getInteger("signalbox.mutations", TestStrength.count(3_000, 2_000_000));
    /** Number of the first input, so that one of them can be made again. */
    private static final int FIRST = Integer.getInteger("signalbox.firstMutation", 0);
    /** A scheduler of the golden run, and what a record may ask for. */
    private static final long MOST_ALLOCATED_BYTES = 160L << 20;
    private static final int GROUPS = 400;
    private static final int KINDS = 7;
    private static final int MOST_AGAIN = 3;
    private static final int REPORTED = 100_000;
    private static final long NANOS_OF_50_MS = 50_000_000;
    private static final int[] VALUES = {0, 1, -1, 0x7F, 0x80, 0x40, 0xC0, 4, 0xFF};

    @TempDir
    private Path directory;
    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    /** Of the current input, by its number: any input can be made again. */
    private SplittableRandom random;
    private Map<String, String> settings;
    private SchedulerConfig config;
    private ForgedJournals forged;
    private byte[] snapshot;
    private byte[] segment;
    private TokenKey key;
    private JournalLock lock;
    private int refused;

    @BeforeEach
    void read() throws IOException
    {
        final Path golden = GoldenJournal.unpack("version-5-simulated", directory);
        final List<ForgedJournals.Group> groups = new ArrayList<>();
        try (JournalReader reader = JournalReader.open(golden))
        {
            settings = reader.settings();
            config = reader.config();
            while (groups.size() < GROUPS && reader.next())
            {
                final byte[] group = new byte[reader.groupLength()];
                reader.group().getBytes(0, group);
                final byte[] rows = reader.rows() == null ? null : new byte[reader.rowsLength()];
                if (rows != null)
                {
                    reader.rows().getBytes(0, rows);
                }
                groups.add(new ForgedJournals.Group(group, rows));
            }
        }
        final SnapshotFollower follower = new SnapshotFollower(golden, 1000, 2);
        follower.follow(ReadProgress.NONE);
        follower.conclude();
        try (Stream<Path> files = Files.list(golden.resolve("snapshots")))
        {
            snapshot = Files.readAllBytes(files.sorted().findFirst().orElseThrow());
        }
        forged = new ForgedJournals(settings, groups);
        segment = forged.closed(20);
        final Path file = Files.write(directory.resolve("key"), new byte[32]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        key = TokenKey.read("key", file);
        lock = JournalLock.acquireUnsigned(Files.createDirectory(directory.resolve("nowhere")));
    }

    @AfterEach
    void unlock()
    {
        lock.close();
    }

    private byte[] mutated(final byte[] whole)
    {
        final byte[] bytes =
            random.nextInt(12) == 0 && whole.length > 1 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--)
        {
            final int at = random.nextInt(bytes.length);
            bytes[at] = (byte)(random.nextBoolean() ? random.nextInt() : VALUES[random.nextInt(VALUES.length)]);
        }
        return bytes;
    }

    @Test
    void shouldEndInAnAnswerOrInTheNamedException()
    {
        long longest = 0;
        long largest = 0;
        int slow = 0;
        for (int i = FIRST; i < FIRST + INPUTS; i++)
        {
            final Runnable input = input(i);
            final long allocated = threads.getCurrentThreadAllocatedBytes();
            long nanos = nanos(i, input);
            largest = Math.max(largest, threads.getCurrentThreadAllocatedBytes() - allocated);
            assertTrue(largest <= MOST_ALLOCATED_BYTES, "input " + i + " allocates " + largest + " bytes");
            for (int again = 0; again < MOST_AGAIN && nanos > NANOS_OF_50_MS; again++)
            {
                // The compiler or the collector may have taken part of it.
                nanos = Math.min(nanos, nanos(i, input(i)));
            }
            slow += nanos > NANOS_OF_50_MS ? 1 : 0;
            longest = Math.max(longest, nanos);
            if (i % REPORTED == REPORTED - 1)
            {
                print(i + 1 - FIRST, slow, longest, largest);
            }
        }
        print(INPUTS, slow, longest, largest);
        assertTrue(refused > INPUTS / 4, refused + " of " + INPUTS + " are refused");
    }

    private void print(final int inputs, final int slow, final long longest, final long largest)
    {
        System.out.printf("%,d mutated inputs, %,d refused; the longest took %.1f ms of processor time, %d took more than " +
                "50 ms, the largest %.1f MiB%n", inputs, refused, longest / 1e6, slow, largest / (double)(1 << 20));
    }

    /** Processor time of this thread, which does not depend on what else runs. */
    private long nanos(final int number, final Runnable input)
    {
        final long start = threads.getCurrentThreadCpuTime();
        run(number, input);
        return threads.getCurrentThreadCpuTime() - start;
    }

    private void run(final int number, final Runnable input)
    {
        try
        {
            input.run();
        }
        catch (final JournalException | UnfitSnapshotException | ConfigException e)
        {
            refused++;
        }
        catch (final RuntimeException | Error e)
        {
            throw new AssertionError("input " + number + " of kind " + number % KINDS, e);
        }
    }

    private Runnable input(final int number)
    {
        random = new SplittableRandom(number);
        switch (number % KINDS)
        {
            case 0:
                final MemoryFiles damaged = new MemoryFiles(List.of(mutated(segment)));
                return () -> Scans.read(damaged);
            case 1:
                final byte[] state = resealed(mutated(snapshot));
                return () -> SnapshotFile.decode(state);
            case 2:
                final MemoryFiles verified = forged();
                return () -> JournalVerifier.verify(reader(verified), unread -> new Scheduler(config));
            case 3:
                final MemoryFiles compared = forged();
                return () -> DiffOf.read(directory, reader(compared), reader(compared));
            case 4:
                final MemoryFiles asked = forged();
                final int question = random.nextInt(QuestionsOf.KINDS);
                return () -> QuestionsOf.ask(question, () -> reader(asked));
            case 5:
                final MemoryFiles replayed = forged();
                return () -> RowReplay.run(ReplayStart.atTheFirstRecord(reader(replayed), DpRouters.installed()),
                    request -> request.rows(0, request.computedTokens()).ids());
            default:
                final MemoryFiles withheld = forged();
                return () -> redact(reader(withheld));
        }
    }

    /** A journal of a few groups, the last of which no scheduler decided. */
    private MemoryFiles forged()
    {
        final int from = random.nextInt(4) == 0 ? random.nextInt(forged.groups()) : 0;
        final int last = Math.min(forged.groups() - 1, from + random.nextInt(ForgedJournals.MOST_GROUPS));
        return forged.with(from, last, mutated(forged.group(last).bytes()));
    }

    private static JournalReader reader(final MemoryFiles files)
    {
        return JournalReader.of(JournalScanner.reading(files, null));
    }

    private void redact(final JournalReader reader)
    {
        final JournalWriter nowhere =
            JournalWriter.create(directory, lock, new SimulatedDisk(), settings, Runs.options(Durability.PROCESS));
        JournalRedaction.copy(reader, nowhere, new WithheldJournal(nowhere, settings, DpRouters.installed(), key));
    }

    /** With the hash and the checksum of what it holds now, so that the decoder sees it. */
    private static byte[] resealed(final byte[] file)
    {
        if (file.length < SnapshotFile.HEADER_BYTES + Integer.BYTES)
        {
            return file;
        }
        Envelope.putInt64(file, 8, file.length);
        final long settingsLength = Envelope.int64(file, SnapshotFile.HEADER_BYTES - 16);
        final int end = file.length - Integer.BYTES;
        if (settingsLength >= 0 && settingsLength < end - SnapshotFile.HEADER_BYTES)
        {
            final int stateAt = SnapshotFile.HEADER_BYTES + (int)settingsLength;
            Envelope.putInt64(
                file, SnapshotFile.HEADER_BYTES - 24, Hashing.xxh3_64().hashBytesToLong(file, stateAt, end - stateAt));
        }
        final CRC32C crc = new CRC32C();
        crc.update(file, 0, end);
        new UnsafeBuffer(file).putInt(end, (int)crc.getValue(), ByteOrder.LITTLE_ENDIAN);
        return file;
    }
}
