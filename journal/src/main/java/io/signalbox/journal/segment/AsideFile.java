// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.files.AtomicFile;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.PlainFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** Small files beside the segments, written under another name first: a reader finds the old file, the new one or none. */
public final class AsideFile
{
    private static final String PART = ".part";

    private AsideFile()
    {
    }

    /**
     * Writes a file and gives it its name.
     *
     * @param synced whether file and name are to survive power loss once this returns.
     */
    static void write(final Path file, final byte[] content, final boolean synced) throws IOException
    {
        try (AtomicFile aside = OwnerOnly.aside(file, file.resolveSibling(file.getFileName() + PART)))
        {
            aside.write(content);
            if (synced)
            {
                aside.sync();
            }
            aside.publish();
        }
    }

    /**
     * Reads a file that is not a link. Allocates memory for it only if its length equals the length in its header.
     *
     * @param lengthOf length of the file by its header; -1 if the header does not name one.
     */
    static byte[] read(
        final Path file, final int headerBytes, final long mostBytes, final ToLongFunction<ByteBuffer> lengthOf)
        throws IOException
    {
        try (FileChannel channel = PlainFile.read(file))
        {
            final long length = channel.size();
            if (length > mostBytes || length < headerBytes)
            {
                throw new IOException(
                    "it has " + length + " bytes, and " + headerBytes + " to " + mostBytes + " are possible");
            }
            final ByteBuffer header = fill(channel, ByteBuffer.allocate(headerBytes).order(ByteOrder.LITTLE_ENDIAN));
            if (lengthOf.applyAsLong(header.flip()) != length)
            {
                throw new IOException("it has " + length + " bytes, and its header names another length");
            }
            return fill(channel.position(0), ByteBuffer.allocate((int)length)).array();
        }
    }

    /** Reads until the buffer is full, or the file has become shorter. */
    private static ByteBuffer fill(final FileChannel channel, final ByteBuffer bytes) throws IOException
    {
        while (bytes.hasRemaining() && channel.read(bytes) >= 0)
        {
            continue;
        }
        return bytes;
    }

    /** Removes what a killed writer has left under the other names of such files. */
    public static void removeParts(final Path directory, final Predicate<String> isName) throws IOException
    {
        try (DirectoryStream<Path> entries = PlainFile.list(directory, "*" + PART))
        {
            for (final Path entry : entries)
            {
                final String name = entry.getFileName().toString();
                if (isName.test(name.substring(0, name.length() - PART.length())) &&
                    Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS))
                {
                    Files.deleteIfExists(entry);
                }
            }
        }
        catch (final DirectoryIteratorException e)
        {
            throw e.getCause();
        }
    }
}
