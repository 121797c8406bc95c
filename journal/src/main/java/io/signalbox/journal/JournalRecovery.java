// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Opens a journal that was written before. Every record is checked first. A torn tail is copied aside and cut by
 * saying so in the next segment: no byte that was written is ever changed, and no segment is ever appended to again.
 */
public final class JournalRecovery
{
    private static final int COPY_BYTES = 1 << 16;

    /**
     * What recovery found and did.
     *
     * @param records     records that are good, all of them kept.
     * @param groups      groups among them.
     * @param cutBytes    bytes of a torn tail; 0 where there was none.
     * @param cutFile     where these were kept aside; null where there were none.
     * @param digest      the chained hash over the records kept, as 16 hexadecimal digits.
     * @param nothingToDo the journal had been closed: no file was touched.
     */
    public record Recovery(
        long records, long groups, long cutBytes, Path cutFile, String digest, boolean nothingToDo)
    {
    }

    private JournalRecovery()
    {
    }

    /**
     * Makes a journal whole that was not closed: cuts a torn tail and seals it. A sealed journal is left as it is.
     *
     * @throws JournalException where the journal is damaged in a way that no crash leaves, or is being written.
     */
    public static Recovery recover(final Path directory)
    {
        try (JournalLock lock = lockExisting(directory))
        {
            final ScanEnd end = scan(directory);
            if (end.sealed())
            {
                return recovery(end, null);
            }
            lock.sign();
            final Path cut = setAside(directory, end);
            resume(directory, lock, end, WriterOptions.of(Durability.BATCH)).close();
            return recovery(end, cut);
        }
    }

    /**
     * Opens the journal to go on writing behind its last whole group.
     *
     * @throws JournalException as {@link #recover}.
     */
    public static JournalWriter reopen(final Path directory, final WriterOptions options)
    {
        final JournalLock lock = lockExisting(directory);
        try
        {
            lock.sign();
            final ScanEnd end = scan(directory);
            setAside(directory, end);
            return resume(directory, lock, end, options);
        }
        catch (final RuntimeException | Error e)
        {
            lock.close();
            throw e;
        }
    }

    private static Recovery recovery(final ScanEnd end, final Path cut)
    {
        final JournalPosition position = end.position();
        return new Recovery(position.records(), position.groups(), cut == null ? 0 : end.cutTo() - end.cutFrom(), cut,
            Chain.text(position.chain()), end.sealed());
    }

    private static JournalLock lockExisting(final Path directory)
    {
        if (DirectoryFiles.of(directory).segmentCount() == 0)
        {
            throw new JournalException(
                Kind.NOT_A_JOURNAL, directory + " holds no journal segment; give the directory of a journal.");
        }
        return JournalLock.acquireUnsigned(directory);
    }

    private static ScanEnd scan(final Path directory)
    {
        try (JournalScanner scanner = JournalScanner.recovering(DirectoryFiles.of(directory)))
        {
            boolean more = true;
            while (more)
            {
                more = scanner.next();
            }
            if (scanner.end().position().records() == 0)
            {
                throw ScanMessages.noRecord(directory.toString());
            }
            return scanner.end();
        }
    }

    private static JournalWriter resume(
        final Path directory, final JournalLock lock, final ScanEnd end, final WriterOptions options)
    {
        return resume(directory, lock, JournalWriter.store(directory, options), end, options);
    }

    static JournalWriter resume(
        final Path directory,
        final JournalLock lock,
        final JournalStore store,
        final ScanEnd end,
        final WriterOptions options)
    {
        final SegmentedLog log = new SegmentedLog(store, options, end.position());
        final JournalWriter writer = new JournalWriter(directory, lock, log, options.durability());
        writer.begin(() -> log.openBehind(end.segments(), end.lastRecords(), end.lastSealed()));
        return writer;
    }

    /** Keeps what will be cut, and makes what stays durable, whatever level wrote it. */
    private static Path setAside(final Path directory, final ScanEnd end)
    {
        try
        {
            if (end.emptySegment() >= 0)
            {
                moveAside(directory.resolve(SegmentName.of(end.emptySegment())));
            }
            for (int segment = 0; segment < end.segments(); segment++)
            {
                force(DirectoryFiles.of(directory).dataFile(segment));
            }
            return end.cutFrom() < 0 ? null : copyAside(directory, end);
        }
        catch (final IOException e)
        {
            throw FileFault.writing("the unfinished end of " + directory + " cannot be kept aside", directory, e);
        }
    }

    private static void moveAside(final Path segment) throws IOException
    {
        Path target = segment.resolveSibling(segment.getFileName() + SegmentName.CUT_SUFFIX);
        for (int i = 2; Files.exists(target); i++)
        {
            target = segment.resolveSibling(segment.getFileName() + SegmentName.CUT_SUFFIX + "." + i);
        }
        Files.move(segment, target, StandardCopyOption.ATOMIC_MOVE);
        OwnerOnly.syncDirectory(segment.toAbsolutePath().getParent());
    }

    private static void force(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }

    private static Path copyAside(final Path directory, final ScanEnd end) throws IOException
    {
        final int segment = end.segments() - 1;
        final Path target = directory.resolve(SegmentName.of(segment) + SegmentName.CUT_SUFFIX);
        final byte[] buffer = new byte[COPY_BYTES];
        try (ByteSource source = DirectoryFiles.of(directory).open(segment); FileChannel copy = OwnerOnly.open(target))
        {
            copy.truncate(0);
            long position = end.cutFrom();
            while (position < end.cutTo())
            {
                final int count = source.read(position, buffer, 0, (int)Math.min(COPY_BYTES, end.cutTo() - position));
                final ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, count);
                while (bytes.hasRemaining())
                {
                    copy.write(bytes);
                }
                position += count;
            }
            copy.force(true);
        }
        OwnerOnly.syncDirectory(directory);
        return target;
    }
}
