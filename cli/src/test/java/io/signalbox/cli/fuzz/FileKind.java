// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Kinds of file that a path may name, each made in place of what was there. */
enum FileKind
{
    ABSENT, EMPTY, DIRECTORY, FIFO, SOCKET, DANGLING_LINK, LINK_LOOP, LINK_TO_FILE, LINK_TO_DIRECTORY, FULL_DEVICE,
    NULL_DEVICE, ZERO_DEVICE, HUGE, UNREADABLE, BINARY, BELOW_FILE;

    private static final long HUGE_BYTES = 1L << 40;

    /** Returns the path to name: {@code path}, or one below it. */
    Path make(final Path path) throws IOException
    {
        FileTrees.delete(path);
        final Path beside = path.resolveSibling("beside");
        switch (this)
        {
            case ABSENT -> Files.deleteIfExists(path);
            case EMPTY -> Files.createFile(path);
            case DIRECTORY -> Files.createDirectories(path.resolve("within"));
            case FIFO -> fifo(path);
            case SOCKET -> socket(path);
            case DANGLING_LINK -> Files.createSymbolicLink(path, Path.of("nowhere"));
            case LINK_LOOP -> Files.createSymbolicLink(path, path.getFileName());
            case LINK_TO_FILE -> Files.createSymbolicLink(path, Files.writeString(beside, "mine\n"));
            case LINK_TO_DIRECTORY -> Files.createSymbolicLink(path, Files.createDirectories(beside));
            case FULL_DEVICE -> Files.createSymbolicLink(path, Path.of("/dev/full"));
            case NULL_DEVICE -> Files.createSymbolicLink(path, Path.of("/dev/null"));
            case ZERO_DEVICE -> Files.createSymbolicLink(path, Path.of("/dev/zero"));
            case HUGE -> huge(path);
            case UNREADABLE -> Files.setPosixFilePermissions(
                Files.writeString(path, "mine\n"), PosixFilePermissions.fromString("---------"));
            case BINARY -> Files.write(path, new byte[]{0, -1, 2, 127, -128, 0, 0, 0, 0, 10, 13, 10});
            case BELOW_FILE ->
            {
                Files.writeString(path, "mine\n");
                return path.resolve("below");
            }
            default -> throw new IllegalStateException(name());
        }
        return path;
    }

    private static void fifo(final Path path) throws IOException
    {
        try
        {
            new ProcessBuilder("mkfifo", path.toString()).inheritIO().start().waitFor();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(e));
        }
    }

    /** A short relative name is bound and then moved: the path of a socket has little room. */
    private static void socket(final Path path) throws IOException
    {
        final Path place = Files.createTempDirectory("sock").resolve("s");
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX))
        {
            channel.bind(UnixDomainSocketAddress.of(place));
            Files.move(place, path);
        }
        FileTrees.delete(place.getParent());
    }

    /** Takes no room on a file system that knows holes. */
    private static void huge(final Path path) throws IOException
    {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
        {
            file.setLength(HUGE_BYTES);
        }
    }
}
