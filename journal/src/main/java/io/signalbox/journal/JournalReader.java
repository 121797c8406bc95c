// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.event.GroupCursor;
import io.signalbox.event.codec.CaptureRowsDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalBeginning;
import io.signalbox.journal.segment.JournalFiles;
import io.signalbox.journal.segment.JournalMark;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.RowAssembly;
import io.signalbox.journal.segment.RowReference;
import io.signalbox.journal.segment.RunDescription;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.journal.segment.SegmentStart;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.segment.UnreadableGroup;
import io.signalbox.journal.segment.VoidRecords;
import io.signalbox.journal.snapshot.StateShapes;
import io.signalbox.router.AbsentRouterException;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.StateShape;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Reads the groups of a journal in order, each with its routed-expert rows in one piece. Holds one group and its rows
 * at a time, and never writes.
 */
public final class JournalReader implements GroupCursor, GroupSource
{
    private final JournalScanner scanner;
    private final WriterProbe writer;
    private final VoidRecords voids;
    private final Map<String, String> settings;
    private final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
    private final RowAssembly rows = new RowAssembly();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final CaptureRowsDecoder chunk = new CaptureRowsDecoder();
    private final RowReference rowReference = new RowReference(rows);

    private long recordBytes;

    private JournalReader(final JournalScanner scanner, final WriterProbe writer)
    {
        this.scanner = scanner;
        this.writer = writer;
        voids = VoidRecords.of(scanner.files());
        final JournalBeginning beginning = scanner.files().beginning();
        settings = Collections.unmodifiableMap(beginning == null ? readSettings() : beginning.settings());
        recordBytes = beginning == null ? recordBytes : beginning.start().place().bytes();
    }

    private JournalReader(
        final JournalScanner scanner, final WriterProbe writer, final JournalMark mark, final Map<String, String> settings)
    {
        this.scanner = scanner;
        this.writer = writer;
        voids = VoidRecords.of(scanner.files());
        this.settings = Collections.unmodifiableMap(settings);
        recordBytes = mark.place().bytes();
    }

    /**
     * Continues behind a group, as if the journal had been read up to there.
     *
     * @param settings the run description, which is not read.
     * @throws UnfitSnapshotException if the journal has another record there.
     */
    static JournalReader behind(
        final Path directory, final JournalMark mark, final Map<String, String> settings, final ReadProgress progress)
    {
        JvmFlags.requireToRead();
        final WriterProbe writer = WriterProbe.of(directory);
        final JournalScanner scanner = JournalScanner.resuming(DirectoryFiles.of(directory, progress), mark);
        try
        {
            return new JournalReader(scanner, writer, mark, settings);
        }
        catch (final RuntimeException | Error e)
        {
            scanner.close();
            throw e;
        }
    }

    /**
     * @throws JournalException if the directory has no journal, or a damaged one; RECORDS_REMOVED if its first records were
     *     removed.
     */
    public static JournalReader open(final Path directory)
    {
        return open(directory, ReadProgress.NONE);
    }

    /** As {@link #open(Path)}, with a progress report. */
    public static JournalReader open(final Path directory, final ReadProgress progress)
    {
        return open(directory, progress, true);
    }

    /**
     * Of a journal whose first records may have been removed: begins at the first one that is kept, with requests of which
     * nothing was read.
     */
    public static JournalReader openKept(final Path directory, final ReadProgress progress)
    {
        return open(directory, progress, false);
    }

    private static JournalReader open(final Path directory, final ReadProgress progress, final boolean needsAll)
    {
        JvmFlags.requireToRead();
        final WriterProbe writer = WriterProbe.of(directory);
        final DirectoryFiles files = DirectoryFiles.of(directory, progress);
        if (needsAll)
        {
            JournalBeginning.requireNone(files);
        }
        return of(JournalScanner.reading(files, null), writer);
    }

    /** Of files whose lock the caller holds: a torn tail ends the reading. They must have a record. */
    static JournalReader recovering(final JournalFiles files)
    {
        return of(JournalScanner.recovering(files), null);
    }

    /** As {@link #recovering(JournalFiles)}, as if one more input had been declared void. */
    static JournalReader recovering(final JournalFiles files, final VoidedInput input, final long chain)
    {
        final JournalReader reader = recovering(files);
        reader.voids.add(input, chain);
        return reader;
    }

    /** Of files that no process can be writing. */
    static JournalReader of(final JournalScanner scanner)
    {
        return of(scanner, null);
    }

    private static JournalReader of(final JournalScanner scanner, final WriterProbe writer)
    {
        try
        {
            return new JournalReader(scanner, writer);
        }
        catch (final RuntimeException | Error e)
        {
            scanner.close();
            throw e;
        }
    }

    private Map<String, String> readSettings()
    {
        // A scan that hands out no record at all ends in a refusal.
        advance();
        wrapPayload();
        try
        {
            return RunDescription.decode(payload, 0);
        }
        catch (final IllegalStateException | IndexOutOfBoundsException e)
        {
            throw malformed("the run description cannot be decoded (" + e.getMessage() + ")");
        }
    }

    /** The run description: everything the run depends on, by name. */
    @Override
    public Map<String, String> settings()
    {
        return settings;
    }

    /** The scheduler that the run description names, with the installed routers. */
    public SchedulerConfig config()
    {
        return config(DpRouters.installed());
    }

    /**
     * The scheduler that the run description names.
     *
     * @param routers those that it may name.
     * @throws JournalException CORRUPT_RECORD if it names no scheduler; ROUTER_ABSENT if it names a router, or a version of
     *     one, that is not among these.
     */
    public SchedulerConfig config(final DpRouters routers)
    {
        try
        {
            return SchedulerConfig.of(settings, routers);
        }
        catch (final AbsentRouterException e)
        {
            throw new JournalException(
                Kind.ROUTER_ABSENT, scanner.journal() + " cannot be replayed: " + e.getMessage(), 0, -1, 0, e);
        }
        catch (final ConfigException e)
        {
            throw noScheduler(e);
        }
    }

    /** DP ranks of the run. */
    public int ranks()
    {
        return setting(SchedulerConfig.RANKS);
    }

    /** A setting of the run's scheduler, whose router need not be installed. */
    public <T> T setting(final Setting<T> setting)
    {
        try
        {
            return setting.read(SchedulerConfig.PREFIX, settings);
        }
        catch (final ConfigException e)
        {
            throw noScheduler(e);
        }
    }

    /** The shape of the rows that the run captured; {@code null} if it captured none. */
    public ModelShape shape()
    {
        try
        {
            return setting(SchedulerConfig.CAPTURE) ? ModelShape.of(settings) : null;
        }
        catch (final ConfigException e)
        {
            throw noScheduler(e);
        }
    }

    /** The shape of the state that is folded from the run. */
    public StateShape stateShape()
    {
        try
        {
            return StateShapes.of(settings);
        }
        catch (final ConfigException e)
        {
            throw noScheduler(e);
        }
    }

    private JournalException noScheduler(final ConfigException fault)
    {
        return new JournalException(Kind.CORRUPT_RECORD, scanner.journal() + ", record 0: its run description names " +
            "no scheduler of this program, " + fault.fault() + "; use the program " +
            "that wrote it, or restore it from a copy.", 0, -1, 0, fault);
    }

    /**
     * Moves to the next group; false at the end of the journal.
     *
     * @throws JournalException if the journal must not be trusted from here on; BEING_WRITTEN if it ends only because it
     *     is still being written.
     */
    @Override
    public boolean next()
    {
        rows.reset();
        while (advance())
        {
            wrapPayload();
            if (scanner.type() == RecordType.VOID)
            {
                checkVoid();
            }
            else if (scanner.type() == RecordType.ROWS)
            {
                collectRows();
            }
            else if (isHandedOut())
            {
                return true;
            }
        }
        return false;
    }

    private boolean advance()
    {
        final boolean more;
        try
        {
            more = scanner.next();
        }
        catch (final JournalException e)
        {
            throw writer == null ? e : writer.judge(e, scanner.records());
        }
        final JournalException beingWritten =
            more || scanner.ending().isSealed() || writer == null ? null : writer.beingWritten(scanner.records());
        if (beingWritten != null)
        {
            throw beingWritten;
        }
        recordBytes += more ? scanner.recordLength() : 0;
        return more;
    }

    /** A group that is void is left out, with its rows. */
    private boolean isHandedOut()
    {
        checkRows();
        final boolean isVoid = voids.isVoid(scanner.sequence());
        if (isVoid)
        {
            if (!voids.fits(scanner.sequence(), scanner.chain()))
            {
                throw malformed("another record than this one was declared void");
            }
            rows.reset();
        }
        return !isVoid;
    }

    private void checkVoid()
    {
        if (!voids.lists(payload))
        {
            throw malformed("the declaration of a void input cannot be decoded");
        }
    }

    /** The inputs that were declared void, in the order of their records. */
    @Override
    public List<VoidedInput> voided()
    {
        return List.copyOf(voids.inputs());
    }

    /** Requests that had not ended where the records begin that are kept; empty if none was removed. */
    public List<EarlierRequest> earlierRequests()
    {
        final JournalBeginning beginning = scanner.files().beginning();
        return beginning == null ? List.of() : beginning.requests();
    }

    /** Of the segment that is being read; {@code null} if the reading began within it. */
    SegmentStart segmentStart()
    {
        return scanner.progress().segmentStart();
    }

    /** Position behind the last record of each segment that was read to its seal or cut. */
    Map<Integer, Long> segmentEnds()
    {
        return scanner.progress().segmentEnds();
    }

    /** Number of the segment that has the current group. */
    int segment()
    {
        return scanner.segment();
    }

    /** The place behind the current group. */
    JournalMark mark()
    {
        return scanner.mark();
    }

    /** Whether equal KV blocks have equal hashes in both journals: both have tokens, or their hashes have the same key. */
    public boolean hashesAs(final JournalReader other)
    {
        return WithheldJournal.haveSameHashes(settings(), other.settings());
    }

    /** A {@link JournalException} for the current group. @param fault of the code that applied it. */
    public JournalException inapplicable(final Throwable fault)
    {
        return UnreadableGroup.inapplicable(sequence(), fault);
    }

    /** Link of the current group's record: equal links mean equal records up to here. */
    public long chain()
    {
        return scanner.chain();
    }

    private void wrapPayload()
    {
        payload.wrap(scanner.bytes(), scanner.payloadStart(), scanner.payloadLength());
    }

    private void collectRows()
    {
        try
        {
            if (payload.capacity() < MessageHeaderDecoder.ENCODED_LENGTH + CaptureRowsDecoder.BLOCK_LENGTH)
            {
                throw malformed("the chunk of rows is shorter than its fields");
            }
            chunk.wrapAndApplyHeader(payload, 0, header);
            if (!rows.add(chunk))
            {
                throw malformed("the chunk of rows does not continue the one ahead of it");
            }
        }
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e)
        {
            throw malformed("the chunk of rows cannot be decoded (" + e.getMessage() + ")");
        }
    }

    /** Rows must be those that the group's completion refers to, all of them. */
    private void checkRows()
    {
        if (!rowReference.fits(payload))
        {
            throw malformed("the rows ahead of this group are not the ones that it refers to");
        }
    }

    /** The bytes are as they were written, but their content is wrong. */
    private JournalException malformed(final String reason)
    {
        return new JournalException(Kind.CORRUPT_RECORD,
            Path.of(scanner.journal()).resolve(SegmentName.of(scanner.segment())) + " at byte " +
            scanner.filePosition() + ", record " + scanner.sequence() + ": " + reason +
            "; records ahead of it are good; the program that wrote it is at fault.",
            scanner.segment(), scanner.filePosition(), scanner.sequence(), null);
    }

    /** Holds the current group from byte 0; valid until the next call of {@link #next()}. */
    @Override
    public DirectBuffer group()
    {
        return payload;
    }

    @Override
    public int groupLength()
    {
        return payload.capacity();
    }

    /** The rows that the current group refers to; {@code null} if it refers to none. Valid as long as the group. */
    @Override
    public DirectBuffer rows()
    {
        return rows.isEmpty() ? null : rows.buffer();
    }

    public int rowsLength()
    {
        return rows.length();
    }

    /** Sequence number of the current group's record. */
    @Override
    public long sequence()
    {
        return scanner.sequence();
    }

    @Override
    public long timeNanos()
    {
        return scanner.logicalTimeNanos();
    }

    /** Bytes of the records read so far. */
    public long recordBytes()
    {
        return recordBytes;
    }

    /** Records read so far, the run description included. */
    @Override
    public long records()
    {
        return scanner.records();
    }

    @Override
    public long groups()
    {
        return scanner.groups();
    }

    /** The chained hash over the records read so far, as 16 hexadecimal digits. */
    @Override
    public String digest()
    {
        return scanner.digest();
    }

    /** How the journal ends; OPEN before {@link #next()} has returned false. */
    @Override
    public Ending ending()
    {
        return scanner.ending();
    }

    /** {@code null} before {@link #next()} has returned false. */
    ScanEnd end()
    {
        return scanner.end();
    }

    @Override
    public void close()
    {
        scanner.close();
    }
}
