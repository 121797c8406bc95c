// SPDX-License-Identifier: Apache-2.0
package io.signalbox.files;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A file is there with all of its bytes or not at all, and nothing is left beside it. */
class AtomicFileTest
{
    @TempDir
    private Path directory;

    private Path file(final String content) throws IOException
    {
        return Files.writeString(directory.resolve("result"), content);
    }

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> names() throws IOException
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldKeepTheOldFileUntilTheNewOneIsPublished() throws IOException
    {
        final Path file = file("old");
        try (AtomicFile atomic = AtomicFile.of(file))
        {
            atomic.write(bytes("new"));
            atomic.sync();
            assertEquals("old", Files.readString(file));
            atomic.publish();
            assertEquals("new", Files.readString(file));
        }
        assertEquals("new", Files.readString(file));
        assertEquals(List.of("result"), names());
    }

    @Test
    void shouldRemoveWhatWasNotPublished() throws IOException
    {
        final Path file = file("old");
        try (AtomicFile atomic = AtomicFile.of(file))
        {
            atomic.channel().write(ByteBuffer.wrap(bytes("half")));
            assertEquals(2, names().size());
        }
        assertEquals("old", Files.readString(file));
        assertEquals(List.of("result"), names());
    }

    /** A directory is in the way of the name. */
    @Test
    void shouldRemoveWhatCannotBePublished() throws IOException
    {
        final Path taken = Files.createDirectories(directory.resolve("taken"));
        Files.createFile(taken.resolve("inner"));
        try (AtomicFile atomic = AtomicFile.of(taken))
        {
            atomic.write(bytes("new"));
            assertThrows(IOException.class, atomic::publish);
        }
        assertEquals(List.of("taken"), names());
    }

    /** Two processes of two containers may have one number. */
    @Test
    void shouldPublishWhatItWroteIfAnotherWritesTheSameFile() throws IOException
    {
        final Path file = directory.resolve("file");
        try (AtomicFile first = AtomicFile.of(file); AtomicFile second = AtomicFile.of(file))
        {
            first.write(new byte[] {1, 2, 3});
            second.write(new byte[] {4});
            first.publish();
            assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(file));
            second.publish();
            assertArrayEquals(new byte[] {4}, Files.readAllBytes(file));
        }
    }

    /** If the old file were removed first, a process that is killed then would leave none. */
    @Test
    void shouldReplaceAFileInOneStep() throws Exception
    {
        final Path file = file("old");
        try (WatchService watch = directory.getFileSystem().newWatchService())
        {
            directory.register(watch, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
            assumeTrue(watch.getClass().getSimpleName().startsWith("Linux"),
                "skipped: this system does not report every change of a directory");
            try (AtomicFile atomic = AtomicFile.of(file))
            {
                atomic.write(bytes("new"));
                atomic.publish();
            }
            final Path last = Files.createFile(directory.resolve("last"));
            final List<String> events = new ArrayList<>();
            while (!events.contains("ENTRY_CREATE " + last.getFileName()))
            {
                final WatchKey key = watch.poll(1, TimeUnit.MINUTES);
                for (final WatchEvent<?> event : key.pollEvents())
                {
                    events.add(event.kind() + " " + event.context());
                }
                key.reset();
            }
            assertTrue(events.contains("ENTRY_CREATE result"), events.toString());
            assertFalse(events.contains("ENTRY_DELETE result"), events.toString());
        }
    }

    @Test
    void shouldHoldTheReservedSpaceAndCutItToTheContent() throws IOException
    {
        final Path file = directory.resolve("result");
        final Path part = directory.resolve("part");
        try (AtomicFile atomic = AtomicFile.of(file, part))
        {
            atomic.reserve(100_000);
            assertEquals(100_000, Files.size(part));
            assertEquals(" ".repeat(100_000), Files.readString(part));
            atomic.write(bytes("new"));
            atomic.publish();
        }
        assertEquals("new", Files.readString(file));
    }

    @Test
    void shouldWriteOverWhatAKilledProcessLeft() throws IOException
    {
        final Path part = Files.writeString(directory.resolve("part"), "left by another");
        try (AtomicFile atomic = AtomicFile.of(directory.resolve("result"), part))
        {
            atomic.channel().write(ByteBuffer.wrap(bytes("new")));
            atomic.publish();
        }
        assertEquals("new", Files.readString(directory.resolve("result")));
        assertEquals(List.of("result"), names());
    }

    @Test
    void shouldNotFollowALinkWithTheNameOfThePart() throws IOException
    {
        final Path kept = Files.writeString(directory.resolve("kept"), "kept");
        final Path part = Files.createSymbolicLink(directory.resolve("part"), kept);
        try (AtomicFile atomic = AtomicFile.of(directory.resolve("result"), part))
        {
            atomic.write(bytes("new"));
            atomic.publish();
        }
        assertEquals("kept", Files.readString(kept));
        assertTrue(Files.isRegularFile(directory.resolve("result"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void shouldRefuseAPlaceThatCannotHoldIt() throws IOException
    {
        final Path part = Files.createDirectories(directory.resolve("part"));
        Files.createFile(part.resolve("inner"));

        assertThrows(DirectoryNotEmptyException.class, () -> AtomicFile.of(directory.resolve("result"), part));
        assertThrows(NoSuchFileException.class, () -> AtomicFile.of(directory.resolve("absent").resolve("result")));
        assertEquals(List.of("part"), names());
    }

    @Test
    void shouldHaveItsAttributesFromTheFirstByteOn() throws IOException
    {
        assumeTrue(directory.getFileSystem().supportedFileAttributeViews().contains("posix"), "skipped: no owners");
        final Path part = directory.resolve("part");
        try (AtomicFile atomic = AtomicFile.of(directory.resolve("result"), part,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))))
        {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(part)));
            atomic.publish();
        }
        assertEquals("rw-------",
            PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("result"))));
    }
}
