// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Prompts are private: what the journal creates is for its owner only, where the file system knows owners. */
final class OwnerOnly
{
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private OwnerOnly()
    {
    }

    /** Creates the directory and its parents; an existing one keeps its content and loses foreign permissions. */
    static void createDirectory(final Path directory) throws IOException
    {
        if (directory.getParent() != null)
        {
            Files.createDirectories(directory.getParent());
        }
        if (!isPosix(directory.toAbsolutePath().getParent()))
        {
            Files.createDirectories(directory);
            return;
        }
        try
        {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
        }
        catch (final FileAlreadyExistsException e)
        {
            Files.setPosixFilePermissions(directory, DIRECTORY);
        }
    }

    /** Creates the file where it is missing, and opens it for writing. */
    static FileChannel open(final Path file) throws IOException
    {
        final Set<StandardOpenOption> options =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return isPosix(file.toAbsolutePath().getParent())
            ? FileChannel.open(file, options, PosixFilePermissions.asFileAttribute(FILE))
            : FileChannel.open(file, options);
    }

    static void restrict(final Path file) throws IOException
    {
        if (isPosix(file))
        {
            Files.setPosixFilePermissions(file, FILE);
        }
    }

    /** Makes the names in the directory durable, where the platform opens directories. */
    static void syncDirectory(final Path directory) throws IOException
    {
        if (isPosix(directory))
        {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ))
            {
                channel.force(true);
            }
        }
    }

    private static boolean isPosix(final Path path)
    {
        return Files.getFileAttributeView(path, PosixFileAttributeView.class) != null;
    }
}
