// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Detects whether a path still names the same file: device and inode on POSIX systems, the path itself on others. */
public final class FileIdentity
{
    private FileIdentity()
    {
    }

    public static Object of(final Path path) throws IOException
    {
        return key(path, Files.readAttributes(path, BasicFileAttributes.class));
    }

    /** {@code null} if there is no file. */
    public static Object ofExisting(final Path path)
    {
        try
        {
            return of(path);
        }
        catch (final IOException e)
        {
            return null;
        }
    }

    /**
     * Identity of a regular file, symbolic links not followed; {@code null} if there is none.
     *
     * @throws JournalException FOREIGN_FILE for anything but a regular file.
     */
    public static Object ofRegular(final Path path) throws IOException
    {
        final BasicFileAttributes found;
        try
        {
            found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        }
        catch (final NoSuchFileException e)
        {
            return null;
        }
        if (!found.isRegularFile())
        {
            throw new JournalException(Kind.FOREIGN_FILE, path + " is " + kind(found) + " and not a regular file, as a " +
                "journal's lock is; remove it if no process uses it.");
        }
        return key(path, found);
    }

    private static Object key(final Path path, final BasicFileAttributes found)
    {
        return found.fileKey() == null ? path.toAbsolutePath() : found.fileKey();
    }

    public static String kind(final BasicFileAttributes found)
    {
        if (found.isDirectory())
        {
            return "a directory";
        }
        return found.isSymbolicLink() ? "a symbolic link" : "a device, pipe or socket";
    }
}
