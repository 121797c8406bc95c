// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import io.signalbox.files.AtomicFile;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Prompts are private: only their owner can access the files of a journal, if the file system knows owners. */
public final class OwnerOnly
{
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private OwnerOnly()
    {
    }

    /** Creates the directory and its parents; returns whether it was missing. An existing one stays as it is. */
    public static boolean createDirectory(final Path directory) throws IOException
    {
        final Path parent = directory.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent))
        {
            Files.createDirectories(parent);
        }
        if (Files.isDirectory(directory))
        {
            return false;
        }
        try
        {
            createNewDirectory(directory);
            return true;
        }
        catch (final FileAlreadyExistsException e)
        {
            if (Files.isDirectory(directory))
            {
                return false;
            }
            throw e;
        }
    }

    /** @throws FileAlreadyExistsException if anything has this name. */
    public static void createNewDirectory(final Path directory) throws IOException
    {
        if (isPosix(directory.toAbsolutePath().getParent()))
        {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
        }
        else
        {
            Files.createDirectory(directory);
        }
    }

    public static void removeIfEmpty(final Path directory)
    {
        try
        {
            Files.deleteIfExists(directory);
        }
        catch (final IOException e)
        {
            // Another process has begun to use it.
            return;
        }
    }

    /** Restricts the directory's permissions to its owner. */
    public static void restrictDirectory(final Path directory) throws IOException
    {
        if (isPosix(directory))
        {
            Files.setPosixFilePermissions(directory, DIRECTORY);
        }
    }

    /** Creates an empty file; false if another process has created it meanwhile. */
    public static boolean createFile(final Path file) throws IOException
    {
        try
        {
            if (isPosix(file.toAbsolutePath().getParent()))
            {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(FILE));
            }
            else
            {
                Files.createFile(file);
            }
            return true;
        }
        catch (final FileAlreadyExistsException e)
        {
            return false;
        }
    }

    /** Creates the file if it is missing, and opens it for reading and writing without waiting; a link is refused. */
    public static FileChannel open(final Path file) throws IOException
    {
        final Set<OpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        return isPosix(file.toAbsolutePath().getParent())
            ? FileChannel.open(file, options, PosixFilePermissions.asFileAttribute(FILE))
            : FileChannel.open(file, options);
    }

    /** A file of the owner that is written under the name of the part. */
    public static AtomicFile aside(final Path file, final Path part) throws IOException
    {
        return isPosix(file.toAbsolutePath().getParent())
            ? AtomicFile.of(file, part, PosixFilePermissions.asFileAttribute(FILE))
            : AtomicFile.of(file, part);
    }

    private static boolean isPosix(final Path path)
    {
        return Files.getFileAttributeView(path, PosixFileAttributeView.class) != null;
    }
}
