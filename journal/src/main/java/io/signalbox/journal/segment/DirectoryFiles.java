// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.StoreFault;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;

/** The files of a journal in its directory, opened for reading and never mapped. */
public final class DirectoryFiles implements JournalFiles
{
    private final Path directory;
    private final JournalBeginning beginning;
    /** Without those ahead of the first that counts: their removal was stopped. */
    private final TreeMap<Integer, Path> segments;
    private final SegmentPositions positions;

    private DirectoryFiles(
        final Path directory,
        final JournalBeginning beginning,
        final TreeMap<Integer, Path> segments,
        final ReadProgress progress)
    {
        this.directory = directory;
        this.beginning = beginning;
        this.segments = segments;
        positions = new SegmentPositions(segments, progress);
    }

    /** @throws JournalException NOT_A_JOURNAL if there is no such directory. */
    public static DirectoryFiles of(final Path directory)
    {
        return of(directory, ReadProgress.NONE);
    }

    /** @throws JournalException NOT_A_JOURNAL if there is no such directory. */
    public static DirectoryFiles of(final Path directory, final ReadProgress progress)
    {
        if (!Files.isDirectory(directory))
        {
            throw new JournalException(Kind.NOT_A_JOURNAL,
                directory + " is not a directory; give the directory of a journal.");
        }
        final JournalBeginning beginning = JournalBeginning.of(directory);
        final int first = beginning == null ? 0 : beginning.start().segment();
        final TreeMap<Integer, Path> segments = new TreeMap<>();
        try (DirectoryStream<Path> entries = PlainFile.list(directory, "*"))
        {
            for (final Path entry : entries)
            {
                final int number = SegmentName.number(entry.getFileName().toString());
                if (number >= first)
                {
                    segments.put(number, entry);
                }
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(directory, e);
        }
        catch (final DirectoryIteratorException e)
        {
            throw StoreFault.reading(directory, e.getCause());
        }
        return new DirectoryFiles(directory, beginning, segments, progress);
    }

    @Override
    public JournalBeginning beginning()
    {
        return beginning;
    }

    @Override
    public int segmentCount()
    {
        return segments.isEmpty() ? 0 : segments.lastKey() + 1;
    }

    @Override
    public boolean exists(final int segment)
    {
        return segments.containsKey(segment);
    }

    @Override
    public String name(final int segment)
    {
        final Path file = dataFile(segment);
        return file == null ? SegmentName.of(segment) : directory.relativize(file).toString();
    }

    @Override
    public String journal()
    {
        return directory.toString();
    }

    /** Chronicle's file of the segment; {@code null} if there is none. */
    public Path dataFile(final int segment)
    {
        final Path path = segments.get(segment);
        Path found = null;
        try (DirectoryStream<Path> files = PlainFile.list(path, "*" + SegmentName.DATA_SUFFIX))
        {
            for (final Path file : files)
            {
                if (found != null)
                {
                    throw new JournalException(Kind.FOREIGN_FILE, path + " holds two files of records, " +
                        found.getFileName() + " and " + file.getFileName() + "; remove the one that is not its own.",
                        segment, 0, -1, null);
                }
                found = file;
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(path, e);
        }
        catch (final DirectoryIteratorException e)
        {
            throw StoreFault.reading(path, e.getCause());
        }
        return found;
    }

    @Override
    public ByteSource open(final int segment)
    {
        final Path file = dataFile(segment);
        return file == null ? null : ChannelSource.open(file, positions.within(segment));
    }

    /** The directory below this one that has a journal, the last one by name; {@code null} if there is none. */
    static Path newestJournalBelow(final Path directory)
    {
        Path newest = null;
        try (DirectoryStream<Path> entries = PlainFile.list(directory, "*"))
        {
            for (final Path entry : entries)
            {
                if (JournalDirectory.isJournal(entry) &&
                    (newest == null || entry.compareTo(newest) > 0))
                {
                    newest = entry;
                }
            }
        }
        catch (final IOException | DirectoryIteratorException e)
        {
            return null;
        }
        return newest;
    }
}
