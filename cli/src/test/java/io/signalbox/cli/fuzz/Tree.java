// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/** The content of a directory: kind, length and checksum of each entry. Symbolic links are not followed. */
final class Tree
{
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long MAX_READ_BYTES = 1 << 26;

    private final Map<Path, String> entries = new TreeMap<>();

    private Tree()
    {
    }

    static Tree of(final Path directory) throws IOException
    {
        final Tree tree = new Tree();
        Files.walkFileTree(directory, new SimpleFileVisitor<>()
        {
            @Override
            public FileVisitResult preVisitDirectory(final Path entry, final BasicFileAttributes attributes)
            {
                tree.entries.put(entry, "directory");
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(final Path entry, final BasicFileAttributes attributes) throws IOException
            {
                tree.entries.put(entry, describe(entry, attributes));
                return FileVisitResult.CONTINUE;
            }
        });
        tree.entries.remove(directory);
        return tree;
    }

    private static String describe(final Path entry, final BasicFileAttributes attributes) throws IOException
    {
        if (attributes.isSymbolicLink())
        {
            return "link to " + Files.readSymbolicLink(entry);
        }
        if (!attributes.isRegularFile())
        {
            return "special file";
        }
        return attributes.size() > MAX_READ_BYTES || !Files.isReadable(entry)
            ? "file of " + attributes.size() + " bytes"
            : "file of " + attributes.size() + " bytes, checksum " + Long.toHexString(checksum(entry));
    }

    private static long checksum(final Path file) throws IOException
    {
        final CRC32C crc = new CRC32C();
        final byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream bytes = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS))
        {
            for (int count = bytes.read(buffer); count >= 0; count = bytes.read(buffer))
            {
                crc.update(buffer, 0, count);
            }
        }
        return crc.getValue();
    }

    /** Entries of this tree that are gone or different in {@code later}, except those that may change. */
    List<String> harmedIn(final Tree later, final Predicate<Path> mayChange)
    {
        final List<String> harmed = new ArrayList<>();
        entries.forEach((path, description) ->
        {
            final String now = later.entries.get(path);
            if (!description.equals(now) && !mayChange.test(path))
            {
                harmed.add(path + " was " + description + " and is " + (now == null ? "gone" : now));
            }
        });
        return harmed;
    }

    /** Entries of {@code later} that this tree lacks. */
    List<Path> addedIn(final Tree later)
    {
        return later.entries.keySet().stream().filter(path -> !entries.containsKey(path)).toList();
    }

    /** Whether a file of this description is anywhere in the tree, under whatever name. */
    boolean holdsContentOf(final Path path, final Tree other)
    {
        return entries.containsValue(other.entries.get(path));
    }

    List<Path> paths()
    {
        return List.copyOf(entries.keySet());
    }

    boolean isFile(final Path path)
    {
        return entries.getOrDefault(path, "").startsWith("file");
    }
}
