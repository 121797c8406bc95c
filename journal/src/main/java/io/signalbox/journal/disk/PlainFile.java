// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Opens the files and directories of a journal, and refuses other kinds of files: opening a pipe waits for its other end,
 * and a device has no end. If a process replaces a file by a pipe between the check and the opening, a reader can still
 * hang. That process needs permission to write in the journal's directory, which only the owner of the journal has.
 */
public final class PlainFile
{
    private PlainFile()
    {
    }

    /** Opens a regular file for reading; a link is refused. */
    public static FileChannel read(final Path file) throws IOException
    {
        return open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /** Opens a regular file, or the target of a link if links may be followed. */
    public static FileChannel open(final Path file, final StandardOpenOption access, final LinkOption... links)
        throws IOException
    {
        final String other = otherKind(file, links);
        if (other != null)
        {
            throw new FileSystemException(file.toString(), null, "it is " + other + " and not a regular file");
        }
        final Set<OpenOption> options = new HashSet<>(List.of(links));
        options.add(access);
        return FileChannel.open(file, options);
    }

    /** The kind of a file; {@code null} if it is a regular file. */
    public static String otherKind(final Path file, final LinkOption... links) throws IOException
    {
        final BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class, links);
        return found.isRegularFile() ? null : FileIdentity.kind(found);
    }

    /** Lists a directory; follows a link to a directory. */
    public static DirectoryStream<Path> list(final Path directory, final String glob) throws IOException
    {
        if (Files.exists(directory) && !Files.isDirectory(directory))
        {
            throw new NotDirectoryException(directory.toString());
        }
        return Files.newDirectoryStream(directory, glob);
    }
}
