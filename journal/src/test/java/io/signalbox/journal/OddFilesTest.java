// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.journal.segment.JournalDirectory;
import io.signalbox.journal.segment.SealedSegments;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Replaces every file of a journal without its oldest segments, and every file that a crash can leave, by each kind of file:
 * each use of the journal ends with an answer or in one sentence.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("threads")
final class OddFilesTest
{
    private static final int GROUPS = 2_000;
    private static final int EVERY = 500;
    private static final long SPARSE_BYTES = 1L << 40;
    /** Tries one of this many pairs of a name and a kind; neighbouring names get different kinds. */
    private static final int SHARE = TestStrength.count(7, 1);
    /** Names that another journal can have, or that a killed process leaves. */
    private static final List<String> FURTHER = List.of("segment-00000.sums", "segment-00000.cut", "segment-00000.cut.2",
        "segment-00001.cut.part", "segment-00099.sums.part", "beginning.part", "beginning.copy.part", "journal.key",
        "snapshots/scheduler-0000000000001999." + Long.MAX_VALUE / 10 + ".part",
        "snapshots/snapshot-0000000000001999." + ProcessHandle.current().pid() + ".part");

    @TempDir
    private Path directory;

    /** Kinds of entries that the test makes in the place of a file. */
    enum Kind
    {
        PIPE, SOCKET, DIRECTORY, DANGLING_LINK, LINK_LOOP, LINK_TO_IT, ZERO_DEVICE, FULL_DEVICE, SPARSE;

        void make(final Path path) throws Exception
        {
            final Path moved = path.resolveSibling("moved-aside");
            if (Files.exists(path))
            {
                Files.move(path, moved);
            }
            switch (this)
            {
                case PIPE -> assertEquals(0, new ProcessBuilder("mkfifo", path.toString()).start().waitFor());
                case SOCKET -> socket(path);
                case DIRECTORY -> Files.createFile(Files.createDirectory(path).resolve("within"));
                case DANGLING_LINK -> Files.createSymbolicLink(path, Path.of("nowhere"));
                case LINK_LOOP -> Files.createSymbolicLink(path, path.getFileName());
                case LINK_TO_IT -> Files.createSymbolicLink(path, moved.getFileName());
                case ZERO_DEVICE -> Files.createSymbolicLink(path, Path.of("/dev/zero"));
                case FULL_DEVICE -> Files.createSymbolicLink(path, Path.of("/dev/full"));
                default -> sparse(path);
            }
        }

        private static void sparse(final Path path) throws IOException
        {
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
            {
                file.setLength(SPARSE_BYTES);
            }
        }

        /** The path of a socket must be short, so it is bound elsewhere. */
        private static void socket(final Path path) throws IOException
        {
            final Path bound = Files.createTempDirectory("sock").resolve("s");
            try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX))
            {
                channel.bind(UnixDomainSocketAddress.of(bound));
            }
            Files.move(bound, path);
            Files.delete(bound.getParent());
        }
    }

    /** A use of a journal. */
    interface Use
    {
        void of(Path journal);
    }

    /** Run one after the other in one directory: the first uses only read. */
    private static final List<Use> USES = List.of(
        journal -> JournalVerifier.verify(journal, Scheduler::new),
        journal -> JournalVerifier.verifyKept(journal, EndedRuns.ROUTERS, ReadProgress.NONE),
        journal -> JournalVerifier.verifyBehindSnapshot(journal, EndedRuns.ROUTERS, ReadProgress.NONE),
        journal -> SealedSegments.check(journal, Integer.MAX_VALUE, ReadProgress.NONE),
        RunDirectories::of,
        journal -> RunDirectories.below(journal.getParent()),
        JournalDirectory::requireFree,
        JournalRetention::firstRecord,
        journal -> EndedRuns.snapshots(journal, 50),
        journal -> EndedRuns.keepSegments(journal, 1),
        JournalRecovery::recover,
        RunDirectories::remove);

    @Test
    void shouldAnswerOrRefuseWithEachKindOfFileUnderEachName() throws Exception
    {
        final Path whole = directory.resolve("whole");
        EndedRuns.write(whole, GROUPS);
        EndedRuns.snapshots(whole, EVERY);
        final Path shortened = KilledCopy.of(whole, directory.resolve("shortened"));
        assertTrue(EndedRuns.keepSegments(shortened, 1).segments() > 0);
        int cases = 0;
        for (final Path journal : List.of(whole, shortened))
        {
            for (final String name : names(journal))
            {
                for (final Kind kind : Kind.values())
                {
                    if (++cases % SHARE == 0)
                    {
                        use(journal, name, kind);
                    }
                }
                cases++;
            }
        }
    }

    private static List<String> names(final Path journal) throws IOException
    {
        final List<String> names = new ArrayList<>(FURTHER);
        try (Stream<Path> files = Files.walk(journal))
        {
            files.filter(file -> !file.equals(journal)).map(file -> journal.relativize(file).toString())
                .filter(name -> !names.contains(name)).sorted().forEach(names::add);
        }
        return names;
    }

    private void use(final Path journal, final String name, final Kind kind) throws Exception
    {
        final Path copy = KilledCopy.of(journal, Files.createDirectory(directory.resolve("runs")).resolve("copy"));
        kind.make(copy.resolve(name));
        for (final Use use : USES)
        {
            try
            {
                use.of(copy);
            }
            catch (final JournalException e)
            {
                assertTrue(e.getMessage().endsWith("."), () -> name + " as " + kind + ": " + e.getMessage());
            }
            catch (final RuntimeException | Error e)
            {
                throw new AssertionError(name + " as " + kind + ", use " + USES.indexOf(use), e);
            }
        }
        delete(directory.resolve("runs"));
    }

    private static void delete(final Path tree) throws IOException
    {
        final List<Path> files;
        try (Stream<Path> walk = Files.walk(tree))
        {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path file : files)
        {
            Files.delete(file);
        }
    }
}
