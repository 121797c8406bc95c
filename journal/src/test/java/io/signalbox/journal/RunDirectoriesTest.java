// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.LibC;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.SegmentName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs are listed and removed; whatever is not a run, or not only a run, stays. */
class RunDirectoriesTest
{
    @TempDir
    private Path parent;

    private Path run(final String name)
    {
        final Path run = parent.resolve(name);
        Runs.write(run, 40, Runs.options(Durability.PROCESS));
        return run;
    }

    private static RunDirectory.State state(final Path directory)
    {
        return RunDirectories.of(directory).state();
    }

    private static void assertStays(final Path directory, final Kind kind, final String reason)
    {
        final JournalException refusal = assertThrows(JournalException.class, () -> RunDirectories.remove(directory));
        assertEquals(kind, refusal.kind());
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
        assertTrue(Files.isDirectory(directory));
    }

    @Test
    void shouldListAndRemoveARunWithItsSnapshots()
    {
        final Path run = run("0001");
        new SnapshotFollower(run, 10, 5).follow(ReadProgress.NONE);

        final RunDirectory found = RunDirectories.below(parent).get(0);
        assertEquals(List.of(run, RunDirectory.State.IDLE, 1), List.of(found.path(), found.state(), found.segments()));
        assertTrue(found.snapshotBytes() > 0 && found.bytes() > found.snapshotBytes());
        // The clock of file times is some milliseconds behind the one that began is from.
        assertTrue(found.began().minusSeconds(60).isBefore(found.written()), found::toString);

        RunDirectories.remove(run);
        assertEquals(List.of(), RunDirectories.below(parent));
    }

    /** A process that removed a run was killed: some of its files are gone, or all. */
    @Test
    void shouldFinishARemovalThatWasStopped() throws IOException
    {
        final Path begun = Files.move(run("0001"), parent.resolve("0001.removed"));
        assertFalse(RunDirectories.of(begun).isLeftover(), "a whole run");
        final Path segment = begun.resolve(SegmentName.of(0));
        Files.delete(segment.resolve("19700101F" + SegmentName.DATA_SUFFIX));
        assertTrue(RunDirectories.of(begun).isLeftover());
        final Path emptied = Files.createDirectory(parent.resolve("0002.removed"));
        assertTrue(RunDirectories.of(emptied).isLeftover());
        final Path foreign = Files.createDirectory(parent.resolve("notes.removed"));
        Files.writeString(foreign.resolve("a.txt"), "mine");

        RunDirectories.remove(begun);
        RunDirectories.remove(emptied);
        assertStays(foreign, Kind.FOREIGN_FILE, "a.txt");
        assertEquals(List.of(foreign), RunDirectories.below(parent).stream().map(RunDirectory::path).toList());
    }

    /** A file that is being written is longer than what it takes of the disk. */
    @Test
    void shouldNotCountHoles() throws IOException
    {
        final Path run = parent.resolve("live");
        final JournalConfig large = new JournalConfig(Durability.PROCESS, 1L << 30, 1L << 26);
        try (JournalWriter writer = JournalWriter.create(run, Runs.settings(), large))
        {
            Runs.append(writer, 8);
            final long length =
                Files.size(run.resolve(SegmentName.of(0)).resolve("19700101F" + SegmentName.DATA_SUFFIX));
            final long bytes = RunDirectories.of(run).bytes();
            assertTrue(bytes > writer.bytes() && (bytes < length / 2 || LibC.orNull() == null), bytes + " of " + length);
        }
    }

    @Test
    void shouldNotRemoveARunThatIsBeingWritten()
    {
        final Path run = parent.resolve("live");
        try (JournalWriter writer = JournalWriter.create(run, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 8);
            assertEquals(RunDirectory.State.BEING_WRITTEN, state(run));
            assertStays(run, Kind.LOCKED, "is being written by the process with pid");
        }
        RunDirectories.remove(run);
        assertFalse(Files.exists(run));
    }

    @Test
    void shouldNotRemoveWhatIsNoRun() throws IOException
    {
        final Path empty = Files.createDirectory(parent.resolve("empty"));
        final Path home = Files.createDirectory(parent.resolve("home"));
        Files.writeString(home.resolve("letter.txt"), "x");

        assertStays(empty, Kind.FOREIGN_FILE, "it has no segment of a journal");
        assertStays(home, Kind.FOREIGN_FILE, "it holds letter.txt, which is no file of a run");
    }

    @Test
    void shouldNotRemoveARunAmongOtherFiles() throws IOException
    {
        final Path withFile = run("a");
        Files.writeString(withFile.resolve("notes.md"), "x");
        final Path inSegment = run("b");
        Files.writeString(inSegment.resolve("segment-00000/notes.md"), "x");
        final Path inSnapshots = run("c");
        Files.createDirectories(inSnapshots.resolve("snapshots/deeper"));
        final Path withDirectory = run("d");
        Files.createDirectories(withDirectory.resolve("data"));

        assertStays(withFile, Kind.FOREIGN_FILE, "notes.md, which is no file of a run");
        assertStays(inSegment, Kind.FOREIGN_FILE, "notes.md, which is no file of a run");
        assertStays(inSnapshots, Kind.FOREIGN_FILE, "deeper, a directory that no run has");
        assertStays(withDirectory, Kind.FOREIGN_FILE, "data, a directory that no run has");
        assertTrue(Files.exists(withFile.resolve("notes.md")));
    }

    @Test
    void shouldFollowNoLink() throws IOException
    {
        final Path outside = Files.createDirectory(parent.resolve("outside"));
        Files.writeString(outside.resolve("19700101F.cq4"), "precious");
        final Path run = run("run");
        Files.createSymbolicLink(run.resolve("segment-00001"), outside);
        final Path linked = run("linked");
        Files.createSymbolicLink(linked.resolve("segment-00000/x.cq4"), outside.resolve("19700101F.cq4"));
        Files.createSymbolicLink(parent.resolve("link"), run("target"));

        assertStays(run, Kind.FOREIGN_FILE, "segment-00001, a symbolic link that no run has");
        assertStays(linked, Kind.FOREIGN_FILE, "x.cq4, a symbolic link that no run has");
        assertTrue(RunDirectories.below(parent).stream().noneMatch(found -> found.path().endsWith("link")));
        assertEquals("precious", Files.readString(outside.resolve("19700101F.cq4")));
    }

    @Test
    void shouldNotRemoveARunWhoseFirstRecordCannotBeRead() throws IOException
    {
        final Path run = run("damaged");
        final Path file = DirectoryFiles.of(run).dataFile(0);
        final byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, 0, 4096, (byte)7);
        Files.write(file, bytes);

        assertEquals(RunDirectory.State.DAMAGED, state(run));
        assertStays(run, Kind.FOREIGN_FILE, "its first record cannot be read");
    }

    @Test
    void shouldSayThatThereIsNoSuchDirectory()
    {
        final JournalException refusal =
            assertThrows(JournalException.class, () -> RunDirectories.below(parent.resolve("nowhere")));
        assertTrue(refusal.getMessage().contains("nowhere is not a directory"), refusal.getMessage());
    }
}
