// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.journal.JournalException.Kind;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes a journal: the run description first, then every group in track order. One thread at a time; nothing is
 * allocated per group once its buffers have grown. After any failure it takes nothing more: open the journal again.
 */
public final class JournalWriter implements GroupJournal
{
    private static final int FIRST_MESSAGE = 4;

    private final Path directory;
    private final JournalLock lock;
    private final SegmentedLog log;
    private final Durability durability;
    private final RowChunks chunks = new RowChunks();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final D2hCompleteDecoder completion = new D2hCompleteDecoder();
    private JournalException failure;
    private boolean dirty;
    private boolean closed;

    JournalWriter(final Path directory, final JournalLock lock, final SegmentedLog log, final Durability durability)
    {
        this.directory = directory;
        this.lock = lock;
        this.log = log;
        this.durability = durability;
    }

    /**
     * Begins a journal.
     *
     * @param directory created where it is missing; must not hold a journal.
     * @param settings  everything the run depends on; stored sorted by name.
     * @throws JournalException ALREADY_EXISTS, LOCKED, DISK_FULL or STORE_FAILED.
     */
    public static JournalWriter create(
        final Path directory, final Map<String, String> settings, final WriterOptions options)
    {
        final JournalLock lock = JournalLock.acquire(directory);
        try
        {
            if (DirectoryFiles.of(directory).segmentCount() > 0)
            {
                throw new JournalException(Kind.ALREADY_EXISTS,
                    directory + " holds a journal already; give another directory, or remove that journal.");
            }
            return create(directory, lock, store(directory, options), settings, options);
        }
        catch (final RuntimeException | Error e)
        {
            lock.close();
            throw e;
        }
    }

    static JournalWriter create(
        final Path directory,
        final JournalLock lock,
        final JournalStore store,
        final Map<String, String> settings,
        final WriterOptions options)
    {
        final ExpandableArrayBuffer description = new ExpandableArrayBuffer();
        final int length = RunDescription.encode(settings, description);
        final SegmentedLog log = new SegmentedLog(store, options, JournalPosition.START);
        final JournalWriter writer = new JournalWriter(directory, lock, log, options.durability());
        try
        {
            writer.begin(() ->
            {
                log.openFirst(Envelope.LENGTH + length);
                log.append(RecordType.RUN_DESCRIPTION, 0, description, 0, length);
            });
            return writer;
        }
        catch (final JournalException e)
        {
            removeFirstSegment(directory, e);
            throw e;
        }
    }

    /** A journal that never began must not stand in the way of the next attempt; its lock is held here. */
    private static void removeFirstSegment(final Path directory, final JournalException failure)
    {
        final Path segment = directory.resolve(SegmentName.of(0));
        if (Files.exists(segment))
        {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(segment))
            {
                for (final Path file : files)
                {
                    Files.delete(file);
                }
                Files.delete(segment);
            }
            catch (final IOException | DirectoryIteratorException e)
            {
                failure.addSuppressed(e);
            }
        }
    }

    static JournalStore store(final Path directory, final WriterOptions options)
    {
        return new ChronicleJournalStore(directory, options.durability() != Durability.PROCESS, options.blockBytes());
    }

    /** Runs the writes that open a journal; a failure leaves no segment open. */
    void begin(final Runnable writes)
    {
        try
        {
            writes.run();
            dirty = true;
            endOfBatch();
        }
        catch (final RuntimeException | InternalError e)
        {
            log.abandon();
            throw asFailure(e);
        }
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        requireUsable();
        try
        {
            log.rollIfFull(RowChunks.largestRecord(length, rows));
            if (rows != null)
            {
                appendRows(timeNanos, group, offset, rows);
            }
            log.append(RecordType.GROUP, timeNanos, group, offset, length);
            dirty = true;
            if (durability == Durability.RECORD)
            {
                sync();
            }
        }
        catch (final RuntimeException | InternalError e)
        {
            throw fail(e);
        }
    }

    private void appendRows(
        final long timeNanos, final DirectBuffer group, final int offset, final CaptureSlice rows)
    {
        completion.wrapAndApplyHeader(group, offset + FIRST_MESSAGE, header);
        chunks.begin(rows, completion.step(), completion.epoch(), completion.rank());
        while (chunks.next())
        {
            log.append(RecordType.ROWS, timeNanos, chunks.buffer(), 0, chunks.length());
        }
    }

    @Override
    public void endOfBatch()
    {
        if (durability != Durability.PROCESS && dirty)
        {
            requireUsable();
            try
            {
                sync();
            }
            catch (final RuntimeException | InternalError e)
            {
                throw fail(e);
            }
        }
    }

    private void sync()
    {
        log.sync();
        dirty = false;
    }

    private void requireUsable()
    {
        if (failure != null)
        {
            throw new JournalException(Kind.CLOSED, "the journal " + directory +
                " takes nothing more since an earlier failure: " + failure.getMessage(), failure);
        }
        if (closed)
        {
            throw new JournalException(Kind.CLOSED, "the journal " + directory + " is closed; open it again to go on.");
        }
    }

    private JournalException fail(final Throwable cause)
    {
        failure = asFailure(cause);
        return failure;
    }

    /** A fault in mapped memory arrives as InternalError: what it hit is unknown, so nothing more is written. */
    private JournalException asFailure(final Throwable cause)
    {
        return cause instanceof JournalException
            ? (JournalException)cause
            : new JournalException(Kind.STORE_FAILED, "the journal " + directory + " cannot be written: " + cause +
                "; check the disk, then open the journal again.", cause);
    }

    public Path path()
    {
        return directory;
    }

    /** Chained records so far: the run description, groups and chunks of rows. */
    public long records()
    {
        return log.records();
    }

    /** Length of the chained records so far, envelopes included. */
    public long bytes()
    {
        return log.bytes();
    }

    public long groups()
    {
        return log.groups();
    }

    public int segments()
    {
        return log.segments();
    }

    /** The chained hash so far as 16 hexadecimal digits: the same for the same run, anywhere. */
    public String digest()
    {
        return Chain.text(log.chain());
    }

    /** Highest sequence number that a sync has covered; -1 where none has. */
    public long syncedSequence()
    {
        return log.syncedSequence();
    }

    /** Seals the journal, unless it has failed: then it is left as it is. A second call does nothing. */
    @Override
    public void close()
    {
        if (closed)
        {
            return;
        }
        closed = true;
        try
        {
            if (failure == null || failure.kind() == Kind.DISK_FULL)
            {
                log.seal();
            }
        }
        catch (final RuntimeException | InternalError e)
        {
            throw asFailure(e);
        }
        finally
        {
            log.abandon();
            lock.close();
        }
    }
}
