// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.disk.FileHoles;
import io.signalbox.journal.disk.FileIdentity;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.SegmentName;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The files below a run's directory, without following a link. A file that neither a writer, nor recovery, nor a follower
 * writes makes the whole directory foreign.
 */
final class RunFiles
{
    private static final Pattern OF_SEGMENT = Pattern.compile(".+\\.cq4t?|metadata\\.cq4t");
    private static final Pattern OF_SNAPSHOTS = Pattern.compile("(snapshot|scheduler)-\\d{16}(\\.\\d{1,19}\\.part)?");
    private static final int MOST_FILES = 1_000_000;

    /** Files, then the directories that have them, the inner ones first. */
    private final List<Path> files = new ArrayList<>();
    private final List<Path> directories = new ArrayList<>();
    private int segments;
    private long bytes;
    private long snapshotBytes;
    private Instant written = Instant.EPOCH;
    /** The first file that is none of a run's, with the reason, as a clause; {@code null} if there is none. */
    private String foreign;

    private RunFiles()
    {
    }

    static RunFiles of(final Path directory) throws IOException
    {
        final RunFiles found = new RunFiles();
        try
        {
            found.readRun(directory);
        }
        catch (final DirectoryIteratorException e)
        {
            throw e.getCause();
        }
        return found;
    }

    private void readRun(final Path directory) throws IOException
    {
        try (DirectoryStream<Path> entries = PlainFile.list(directory, "*"))
        {
            for (final Path entry : entries)
            {
                final String name = entry.getFileName().toString();
                final BasicFileAttributes found =
                    Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                final boolean isSegment = SegmentName.number(name) >= 0 && found.isDirectory();
                if (isSegment || SegmentName.isSetAside(name) && found.isDirectory())
                {
                    segments += isSegment ? 1 : 0;
                    readAll(entry, OF_SEGMENT, false);
                }
                else if (name.equals(SegmentName.SNAPSHOTS) && found.isDirectory())
                {
                    readAll(entry, OF_SNAPSHOTS, true);
                }
                else
                {
                    count(entry, found, isOfRun(name), false, false);
                }
            }
        }
        foreign = foreign == null && segments == 0 && !RunDirectories.isLeftover(directory) ?
            "it has no segment of a journal" : foreign;
        directories.add(directory);
    }

    private static boolean isOfRun(final String name)
    {
        return name.equals(SegmentName.LOCK) || SegmentName.isSetAside(name) || SegmentName.isSums(name) ||
            JournalBeginning.isName(name);
    }

    private void readAll(final Path directory, final Pattern names, final boolean isOfSnapshots) throws IOException
    {
        try (DirectoryStream<Path> entries = PlainFile.list(directory, "*"))
        {
            for (final Path entry : entries)
            {
                count(entry, Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS),
                    names.matcher(entry.getFileName().toString()).matches(), isOfSnapshots, !isOfSnapshots);
            }
        }
        directories.add(directory);
    }

    /** @param isWritten whether the run itself wrote the file: a snapshot and a lock may be much younger. */
    private void count(
        final Path file, final BasicFileAttributes found, final boolean isKnown, final boolean isOfSnapshots,
        final boolean isWritten)
    {
        if (!isKnown || !found.isRegularFile() || files.size() >= MOST_FILES)
        {
            foreign = foreign != null ? foreign : "it holds " + file.getFileName() + ", " + (found.isRegularFile()
                ? "which is no file of a run" : FileIdentity.kind(found) + " that no run has");
            return;
        }
        files.add(file);
        bytes += isOfSnapshots ? found.size() : FileHoles.dataBytes(file, found.size());
        snapshotBytes += isOfSnapshots ? found.size() : 0;
        final Instant modified = found.lastModifiedTime().toInstant();
        written = isWritten && modified.isAfter(written) ? modified : written;
    }

    List<Path> files()
    {
        return files;
    }

    /** The inner ones first, the run's own last. */
    List<Path> directories()
    {
        return directories;
    }

    int segments()
    {
        return segments;
    }

    long bytes()
    {
        return bytes;
    }

    long snapshotBytes()
    {
        return snapshotBytes;
    }

    Instant written()
    {
        return written;
    }

    String foreign()
    {
        return foreign;
    }
}
