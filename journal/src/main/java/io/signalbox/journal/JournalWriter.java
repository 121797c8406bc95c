// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.RecordWriter;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.DiskSpace;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.StoreFault;
import io.signalbox.journal.segment.Chain;
import io.signalbox.journal.segment.ChronicleJournalStore;
import io.signalbox.journal.segment.ChronicleLogging;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.JournalDirectory;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.JournalStore;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.RowChunks;
import io.signalbox.journal.segment.RunDescription;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.SegmentedLog;
import io.signalbox.router.DpRouters;
import org.agrona.DirectBuffer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes a journal: the run description first, then every group in track order. One thread at a time. Allocates nothing
 * per group once its buffers have grown. After any failure it refuses further groups; recover the journal then.
 */
public final class JournalWriter implements GroupJournal
{
    private static final int FIRST_MESSAGE = 4;
    private static final int CREATE_ATTEMPTS = 100;
    private static final long LOCK_CHECK_NANOS = 1_000_000_000L;

    private final Path directory;
    private final JournalLock lock;
    private final SegmentedLog log;
    private final JournalConfig config;
    private final Durability durability;
    private Map<String, String> runDescription = Map.of();
    private final RowChunks chunks = new RowChunks();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final D2hCompleteDecoder completion = new D2hCompleteDecoder();
    private JournalException failure;
    private long lockCheckedNanos;
    private final DiskSpace space;
    private volatile boolean cutShort;
    private boolean dirty;
    private boolean closed;
    /** {@code null}: everything is kept. */
    private JournalUpkeep upkeep;

    JournalWriter(final Path directory, final JournalLock lock, final SegmentedLog log, final JournalConfig config)
    {
        this.directory = directory;
        this.lock = lock;
        this.log = log;
        this.config = config;
        durability = config.durability();
        space = new DiskSpace(directory, config.reserveBytes(), log::usableBytes);
    }

    /**
     * Begins a journal. If the configuration keeps a part of it, the run may use installed routers only.
     *
     * @param directory created if it is missing; otherwise {@link JournalDirectory#requireFree free}.
     * @param settings  everything the run depends on; stored sorted by name.
     * @throws JournalException ALREADY_EXISTS, LOCKED, JVM_FLAGS, DISK_FULL or STORE_FAILED. Everything that this call
     *     created is removed again, and nothing else.
     */
    public static JournalWriter create(
        final Path directory, final Map<String, String> settings, final JournalConfig config)
    {
        final JournalWriter writer = createAlone(directory, settings, config);
        writer.keepUp(null, UpkeepListener.NONE, JournalUpkeep.Rhythm.DEFAULT);
        return writer;
    }

    /**
     * As the other one.
     *
     * @param routers  those that the run may name.
     * @param listener receives what is removed while the run continues.
     */
    public static JournalWriter create(
        final Path directory,
        final Map<String, String> settings,
        final JournalConfig config,
        final DpRouters routers,
        final UpkeepListener listener)
    {
        final JournalWriter writer = createAlone(directory, settings, config);
        writer.keepUp(routers, listener, JournalUpkeep.Rhythm.DEFAULT);
        return writer;
    }

    /**
     * Snapshots are written and old segments removed from now on, if the configuration asks for it.
     *
     * @param routers {@code null}: the installed ones.
     */
    void keepUp(final DpRouters routers, final UpkeepListener listener, final JournalUpkeep.Rhythm rhythm)
    {
        if (config.isKeptUp())
        {
            upkeep = JournalUpkeep.start(
                directory, config, routers == null ? DpRouters.installed() : routers, listener, rhythm);
        }
    }

    /** As {@link #create}, and nothing is done beside it until {@link #keepUp}. */
    static JournalWriter createAlone(
        final Path directory, final Map<String, String> settings, final JournalConfig config)
    {
        JvmFlags.requireToWrite();
        ChronicleLogging.start();
        for (int i = 1; ; i++)
        {
            JournalDirectory.requireFree(directory);
            final boolean created = JournalDirectory.create(directory);
            try
            {
                return createLocked(directory, settings, config);
            }
            catch (final RuntimeException | Error e)
            {
                // A process that holds the lock may not yet have a file in the directory that this call created.
                if (created && !isKind(e, Kind.LOCKED))
                {
                    OwnerOnly.removeIfEmpty(directory);
                }
                // The process that created the directory has failed, and has removed the directory meanwhile.
                if (created || i == CREATE_ATTEMPTS || !isKind(e, Kind.STORE_FAILED) || Files.exists(directory))
                {
                    throw e;
                }
            }
        }
    }

    private static boolean isKind(final Throwable thrown, final Kind kind)
    {
        return thrown instanceof JournalException && ((JournalException)thrown).kind() == kind;
    }

    private static JournalWriter createLocked(
        final Path directory, final Map<String, String> settings, final JournalConfig config)
    {
        final JournalLock lock = JournalLock.acquireUnsigned(directory);
        try
        {
            JournalDirectory.begin(directory, lock);
            return create(directory, lock, ChronicleJournalStore.of(directory, config), settings, config);
        }
        catch (final RuntimeException | Error e)
        {
            lock.discard();
            throw e;
        }
    }

    @Override
    public Map<String, String> runDescription()
    {
        return runDescription;
    }

    static JournalWriter create(
        final Path directory,
        final JournalLock lock,
        final JournalStore store,
        final Map<String, String> settings,
        final JournalConfig config)
    {
        final RecordWriter description = RunDescription.encode(settings);
        final SegmentedLog log = new SegmentedLog(store, config, JournalPosition.START);
        final JournalWriter writer = new JournalWriter(directory, lock, log, config);
        writer.describe(settings);
        writer.begin(() ->
        {
            log.openFirst(Envelope.LENGTH + description.length());
            log.append(RecordType.RUN_DESCRIPTION, 0, description.buffer(), 0, description.length());
        });
        return writer;
    }

    /**
     * Continues a journal behind its last whole group: the next segment declares where the one before ends, and that is
     * durable before the first group is accepted.
     *
     * @param lock held by the caller, who keeps it if this throws.
     */
    static JournalWriter behind(
        final Path directory,
        final JournalLock lock,
        final JournalReader read,
        final long lastTimeNanos,
        final SetAside aside,
        final JournalConfig config)
    {
        final ScanEnd end = read.end();
        final SegmentedLog log = new SegmentedLog(ChronicleJournalStore.of(directory, config), config, end.position());
        final JournalWriter writer = new JournalWriter(directory, lock, log, config);
        writer.describe(read.settings());
        writer.begin(() ->
        {
            log.lastTimeNanos(lastTimeNanos);
            log.openBehind(end.segments(), end.lastRecords(), end.lastSealed());
            aside.syncNew(end.segments());
        });
        return writer;
    }

    private void describe(final Map<String, String> settings)
    {
        runDescription = Map.copyOf(settings);
    }

    /** Runs the writes that open a journal; a failure leaves no segment. */
    private void begin(final Runnable writes)
    {
        try
        {
            writes.run();
            dirty = true;
            endOfBatch();
        }
        catch (final RuntimeException | Error e)
        {
            log.abandon();
            log.removeSegments();
            throw fail(e);
        }
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        requireUsable();
        try
        {
            final int largest = RowChunks.largestRecord(length, rows);
            if (log.isFull(largest))
            {
                lock.requireHeld();
                log.roll(largest);
            }
            else if (log.isNextDue())
            {
                lock.requireHeld();
                log.expectNext(largest);
            }
            if (rows != null)
            {
                appendRows(timeNanos, group, offset, rows);
            }
            log.append(RecordType.GROUP, timeNanos, group, offset, length);
            space.lacking(log.lackingBytes());
            dirty = true;
            if (durability == Durability.RECORD)
            {
                sync();
            }
        }
        catch (final RuntimeException | Error e)
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
        if (log.wallTimeNanos() - lockCheckedNanos >= LOCK_CHECK_NANOS)
        {
            checkLock();
        }
        if (durability != Durability.PROCESS && dirty)
        {
            requireUsable();
            try
            {
                sync();
            }
            catch (final RuntimeException | Error e)
            {
                throw fail(e);
            }
        }
    }

    private void checkLock()
    {
        lockCheckedNanos = log.wallTimeNanos();
        requireUsable();
        try
        {
            lock.requireHeld();
        }
        catch (final JournalException e)
        {
            throw fail(e);
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
            throw new JournalException(Kind.CLOSED, "the journal " + directory + " is closed and takes nothing more.");
        }
    }

    private JournalException fail(final Throwable cause)
    {
        failure = StoreFault.storing(directory, cause);
        rethrowUnlessOfStore(cause, failure);
        return failure;
    }

    /**
     * A fault in mapped memory is an InternalError, a failed mapping an OutOfMemoryError. Other errors are passed on. The
     * state after any of them is unknown, so nothing more is written.
     */
    private static void rethrowUnlessOfStore(final Throwable cause, final JournalException explained)
    {
        if (cause instanceof Error && !(cause instanceof InternalError) && !explained.getMessage().contains("(ulimit"))
        {
            throw (Error)cause;
        }
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

    /** Highest sequence number that a sync has covered; -1 if none has. */
    public long syncedSequence()
    {
        return log.syncedSequence();
    }

    @Override
    public boolean neverWaits()
    {
        return durability == Durability.PROCESS;
    }

    @Override
    public String refusesRequests()
    {
        return space.refusal();
    }

    @Override
    public void cutShort()
    {
        cutShort = true;
    }

    /**
     * Seals the journal. If a full disk stopped it or the run was {@link #cutShort cut short}, the seal says so; after any
     * other failure it is left as it is, for recovery. A second call does nothing.
     *
     * @throws JournalException LOCK_LOST, and nothing is sealed, if the lock was removed meanwhile.
     */
    @Override
    public void close()
    {
        if (closed)
        {
            return;
        }
        closed = true;
        endUpkeep();
        try
        {
            if (failure == null || failure.kind() == Kind.DISK_FULL)
            {
                lock.requireHeld();
                log.seal(ending());
                concludeUpkeep();
            }
        }
        catch (final RuntimeException | Error e)
        {
            throw fail(e);
        }
        finally
        {
            try
            {
                log.abandon();
            }
            finally
            {
                lock.close();
            }
        }
    }

    private void endUpkeep()
    {
        if (upkeep != null)
        {
            upkeep.close();
        }
    }

    private void concludeUpkeep()
    {
        if (upkeep != null && failure == null)
        {
            upkeep.concludeSealed(log.records());
        }
    }

    private Ending ending()
    {
        if (failure != null)
        {
            return Ending.DISK_FULL;
        }
        return cutShort ? Ending.FAILED : Ending.CLOSED;
    }

    /**
     * Ends a journal that has no group and removes everything that this writer created in its directory, and nothing
     * else, while it still holds the lock. Does nothing after {@link #close}.
     *
     * @throws IllegalStateException if a group was written.
     */
    public void discard()
    {
        if (log.groups() > 0)
        {
            throw new IllegalStateException("the journal " + directory + " has groups and is not discarded");
        }
        if (closed)
        {
            return;
        }
        closed = true;
        endUpkeep();
        try
        {
            log.abandon();
            lock.requireHeld();
            log.removeSegments();
        }
        catch (final JournalException e)
        {
            // If the directory was replaced, nothing in it belongs to this writer.
            failure = e;
        }
        finally
        {
            lock.discard();
        }
    }

    @Override
    public String toString()
    {
        return "journal " + directory;
    }
}
