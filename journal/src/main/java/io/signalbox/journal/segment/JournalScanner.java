// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.codec.Closing;
import io.signalbox.event.codec.SealDecoder;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JvmFlags;
import io.signalbox.journal.segment.RecoveryCase.Decision;
import io.signalbox.journal.segment.RecoveryCase.Evidence;
import io.signalbox.journal.segment.RecoveryCase.Found;

import java.nio.file.Path;

/**
 * Reads every record of a journal in order and looks up its treatment in {@link RecoveryCase}. It reads files through
 * its own buffers and maps none, holds at most one record, and never writes. It returns a record only if its bytes,
 * number, chain and place are right.
 */
public final class JournalScanner implements AutoCloseable
{
    private final JournalFiles files;
    private final RegionListener regions;
    private final boolean recovering;
    private final Chain links = new Chain();
    private final ScanProgress progress = new ScanProgress();
    private final SegmentCount counts = new SegmentCount();
    private SegmentWalker walker;
    private Successor successor;
    private RecordType type;
    private int segment = -1;
    private boolean segmentSealed = true;
    private Ending ending = Ending.OPEN;
    private boolean continued;
    private ScanEnd end;

    private JournalScanner(final JournalFiles files, final RegionListener regions, final boolean recovering)
    {
        this.files = files;
        this.regions = regions;
        this.recovering = recovering;
        OpenScans.opened(this);
        if (files.beginning() != null)
        {
            segment = files.firstSegment() - 1;
            segmentSealed = files.beginning().start().sealedBefore();
            progress.begin(files.beginning().start());
        }
    }

    /** Scans the journal in this directory. */
    public static JournalScanner open(final Path directory)
    {
        JvmFlags.requireToRead();
        return reading(DirectoryFiles.of(directory), null);
    }

    /** Scans the journal in this directory and reports the use of each byte of its segments. */
    public static JournalScanner open(final Path directory, final RegionListener regions)
    {
        JvmFlags.requireToRead();
        return reading(DirectoryFiles.of(directory), regions);
    }

    public static JournalScanner reading(final JournalFiles files, final RegionListener regions)
    {
        return new JournalScanner(files, regions, false);
    }

    /**
     * Continues behind the group at the mark, which is read again.
     *
     * @throws UnfitSnapshotException if another record than the mark's is there, or none.
     */
    public static JournalScanner resuming(final JournalFiles files, final JournalMark mark)
    {
        final JournalScanner scanner = new JournalScanner(files, null, false);
        try
        {
            scanner.resume(mark);
            return scanner;
        }
        catch (final RuntimeException | Error e)
        {
            scanner.close();
            throw e;
        }
    }

    private void resume(final JournalMark mark)
    {
        final ByteSource source = mark.segment() < files.segmentCount() && files.exists(mark.segment())
            ? files.open(mark.segment()) : null;
        if (source == null)
        {
            throw new UnfitSnapshotException("segment " + mark.segment() + " is missing");
        }
        segment = mark.segment();
        continued = true;
        walker = new SegmentWalker(segment, source, regions);
        walker.startAt(mark.position());
        if (walker.next() != SegmentWalker.Document.RECORD || !mark.isOf(walker))
        {
            throw new UnfitSnapshotException("record " + (mark.place().records() - 1) + " is not the one that it was " +
                "taken behind");
        }
        type = RecordType.GROUP;
        progress.resume(mark, walker.nextPosition());
        progress.mark(Envelope.syncedSequence(walker.bytes(), walker.start()));
        successor = Successor.of(files, segment, counts);
    }

    /** The place behind the current record, which is a group. */
    public JournalMark mark()
    {
        return new JournalMark(progress.committed(), segment, walker.position(), progress.segmentRecords(),
            progress.recordsOfSegmentBefore());
    }

    /** For opening to write: a torn tail ends this scan instead of refusing it. */
    public static JournalScanner recovering(final JournalFiles files)
    {
        return new JournalScanner(files, null, true);
    }

    /**
     * Moves to the next chained record; false at the end of the journal.
     *
     * @throws JournalException if the journal must not be trusted from here on; records returned before are good.
     */
    public boolean next()
    {
        while (end == null)
        {
            if (walker == null)
            {
                openNextSegment();
            }
            else if (isAtDeclaredCut())
            {
                acceptCut();
            }
            else if (isInPlace() && accept())
            {
                return true;
            }
        }
        return false;
    }

    /** Behind the segment's continuation, if it has one, so that the continuation is checked too. */
    private boolean isAtDeclaredCut()
    {
        return (segment == 0 || continued) && successor.cutsAt(progress.records());
    }

    /** Behind a cut, recovery leaves only rows without their group and one unfinished append. */
    private void acceptCut()
    {
        final TailSearch rest = TailSearch.behindCut(segment, walker.source(), walker.nextPosition());
        final RecoveryCase match = RecoveryCase.of(Evidence.index(Found.BLANK, false, false, false, true, rest.found(),
            progress.isBelowMark(), progress.groupOpen()));
        if (match.decision() == Decision.REFUSE)
        {
            refuse(match, ScanMessages.reason(match, walker, progress, rest, successor), walker.nextPosition());
        }
        progress.ended(segment, progress.committedPosition());
        leaveSegment(Region.CUT, false);
    }

    private void openNextSegment()
    {
        final int number = segment + 1;
        if (ending.isSealed() && (number >= files.segmentCount() || isLastAndUnused(number)))
        {
            end = new ScanEnd(progress.committed(), ending, number, progress.recordsOfSegmentBefore(), true,
                ScanEnd.Tail.NONE, number < files.segmentCount() ? number : -1);
            return;
        }
        if (files.segmentCount() == 0)
        {
            throw ScanMessages.noJournal(Path.of(files.journal()));
        }
        segment = number;
        continued = false;
        if (number >= files.segmentCount() || !files.exists(number))
        {
            final RecoveryCase match = RecoveryCase.of(Evidence.index(Found.ABSENT, false, false, false, false,
                number < files.segmentCount(), progress.isBelowMark(), progress.groupOpen()));
            refuse(match, "the segment is missing", 0);
        }
        successor = Successor.of(files, segment, counts);
        final ByteSource source = files.open(segment);
        walker = new SegmentWalker(segment, source == null ? EmptySource.INSTANCE : source, regions);
        progress.beginSegment(segment, segmentSealed);
    }

    /** A directory in which no file of records was ever begun. */
    private boolean isLastAndUnused(final int number)
    {
        if (number + 1 < files.segmentCount() || !files.exists(number))
        {
            return false;
        }
        try (ByteSource source = files.open(number))
        {
            return source == null;
        }
    }

    /**
     * Reads the next document and looks up its case. A record in its place is accepted, independent of the bytes behind
     * it. For any other document the remaining evidence is collected, and the scan stops. Allocates nothing for chained
     * records in their place.
     */
    private boolean isInPlace()
    {
        final boolean valid = walker.next() == SegmentWalker.Document.RECORD;
        final boolean known = valid && versionKnown();
        final boolean expected = known && Envelope.sequence(walker.bytes(), walker.start()) == progress.records();
        final boolean links = expected && links();
        if (valid && RecoveryCase.of(Evidence.index(Found.VALID, known, expected, links, false, false,
            progress.isBelowMark(), progress.groupOpen())).decision() == Decision.ACCEPT)
        {
            return true;
        }
        stop(known, expected);
        return false;
    }

    private boolean versionKnown()
    {
        type = RecordType.of(Envelope.typeCode(walker.bytes(), walker.start()));
        return type != null && Envelope.version(walker.bytes(), walker.start()) == Envelope.SCHEMA_VERSION &&
            Envelope.form(walker.bytes(), walker.start()) == Envelope.PLAIN;
    }

    private boolean links()
    {
        final byte[] bytes = walker.bytes();
        final int start = walker.start();
        if (Envelope.place(bytes, start) != Envelope.place(segment, walker.position() + SegmentWalker.HEADER_BYTES))
        {
            return false;
        }
        if (!type.isChained())
        {
            return type == RecordType.SEAL ? sealFits() : continuationFits();
        }
        progress.link(links.next(progress.chain(), progress.records(), type, Envelope.logicalTimeNanos(bytes, start),
            bytes, payloadStart(), payloadLength()));
        return progress.link() == Envelope.chain(bytes, start) &&
            (type == RecordType.RUN_DESCRIPTION) == (progress.records() == 0) &&
            (segment == 0 || continued) && (type != RecordType.VOID || progress.isFirstBehindContinuation());
    }

    private boolean sealFits()
    {
        final SealDecoder seal = countThatFits();
        return seal != null && !progress.groupOpen() && progress.records() > 0 && (segment == 0 || continued) &&
            seal.records() == progress.segmentRecords() && SegmentCount.ending(seal) != null;
    }

    private boolean continuationFits()
    {
        final SealDecoder count = countThatFits();
        return count != null && segment > 0 && !continued && count.records() == progress.recordsOfSegmentBefore() &&
            count.closingRaw() == (segmentSealed ? Closing.YES : Closing.NO).value();
    }

    private SealDecoder countThatFits()
    {
        final SealDecoder count = counts.of(walker);
        return count != null && count.groups() == progress.groups() && count.chain() == progress.chain() &&
            Envelope.chain(walker.bytes(), walker.start()) == progress.chain() ? count : null;
    }

    /** Returns whether the record is handed out. */
    private boolean accept()
    {
        progress.mark(Envelope.syncedSequence(walker.bytes(), walker.start()));
        if (type.isChained())
        {
            progress.accept(type, walker.length(), walker.nextPosition());
            return true;
        }
        if (type == RecordType.SEAL)
        {
            ending = SegmentCount.ending(counts.of(walker));
            progress.ended(segment, walker.position() + SegmentWalker.HEADER_BYTES + walker.length());
            leaveSegment(Region.UNUSED, true);
        }
        else
        {
            continued = true;
            ending = Ending.OPEN;
            progress.acceptContinuation(walker.nextPosition());
        }
        return false;
    }

    private void leaveSegment(final Region rest, final boolean sealed)
    {
        tellRest(walker.nextPosition(), rest);
        segmentSealed = sealed;
        progress.endSegment();
        walker.close();
        walker = null;
    }

    private void tellRest(final long from, final Region region)
    {
        if (regions != null && from < walker.source().length())
        {
            regions.onRegion(segment, from, walker.source().length(), region);
        }
    }

    /** Searches what follows a document that is not a record in its place, and decides. */
    private void stop(final boolean versionKnown, final boolean sequenceExpected)
    {
        final TailSearch rest = TailSearch.behind(segment, walker.source(), walker.position());
        // Bytes behind a missing header are an append whose header never reached the disk, unless they are records.
        final boolean blank =
            walker.fault() == null && (rest.found() || rest.residueEnd() == walker.position());
        final Found found = walker.isRecord() ? Found.VALID : blank ? Found.BLANK : Found.BROKEN;
        progress.mark(rest.foundSyncedSequence());
        progress.mark(successor.syncedSequence());
        decide(RecoveryCase.of(Evidence.index(found, versionKnown, sequenceExpected, false, false,
            rest.found() || successor.followed(), progress.isBelowMark(), progress.groupOpen())), rest);
    }

    private void decide(final RecoveryCase match, final TailSearch rest)
    {
        if (!recovering && match.decision() != Decision.REFUSE && progress.records() == 0)
        {
            throw ScanMessages.noRecord(files.journal());
        }
        switch (match.decision())
        {
            case END -> finish(new ScanEnd.Tail(-1, -1, rest.residueEnd()));
            case TRUNCATE_TORN ->
            {
                if (!recovering)
                {
                    refuse(match, ScanMessages.reason(match, walker, progress, rest, successor), walker.position());
                }
                finish(new ScanEnd.Tail(progress.committedPosition(),
                    Math.max(rest.residueEnd(), progress.committedPosition()), rest.residueEnd()));
            }
            default -> refuse(match, ScanMessages.reason(match, walker, progress, rest, successor), walker.position());
        }
    }

    private void refuse(final RecoveryCase match, final String reason, final long offset)
    {
        final String place = segment < files.segmentCount() && files.exists(segment)
            ? files.name(segment) : SegmentName.of(segment);
        throw new JournalException(match.refusal(),
            ScanMessages.sentence(match, reason, Path.of(files.journal()), place, offset, progress, successor),
            segment, offset, progress.records(), null);
    }

    private void finish(final ScanEnd.Tail tail)
    {
        final boolean empty = progress.isSegmentEmpty();
        final boolean trailing = segment + 1 < files.segmentCount();
        tellRest(walker.position(), Region.UNUSED);
        walker.close();
        walker = null;
        end = empty
            ? new ScanEnd(progress.committed(), Ending.OPEN, segment, progress.recordsOfSegmentBefore(), segmentSealed,
                ScanEnd.Tail.NONE, segment)
            : new ScanEnd(progress.committed(), Ending.OPEN, segment + 1, progress.committedSegmentRecords(), false, tail,
                trailing ? segment + 1 : -1);
    }

    public RecordType type()
    {
        return type;
    }

    public int segment()
    {
        return segment;
    }

    /** Position of the current record's Chronicle header in the segment's file. */
    public long filePosition()
    {
        return walker.position();
    }

    public long sequence()
    {
        return progress.records() - 1;
    }

    public long logicalTimeNanos()
    {
        return Envelope.logicalTimeNanos(walker.bytes(), walker.start());
    }

    public long wallTimeNanos()
    {
        return Envelope.wallTimeNanos(walker.bytes(), walker.start());
    }

    /** Holds the current record's payload; valid until the next call of {@link #next()}. */
    public byte[] bytes()
    {
        return walker.bytes();
    }

    public int payloadStart()
    {
        return walker.start() + Envelope.LENGTH;
    }

    public int payloadLength()
    {
        return walker.length() - Envelope.LENGTH;
    }

    /** Bytes that the current record has in its file, envelope included. */
    public int recordLength()
    {
        return walker.length();
    }

    public long groups()
    {
        return progress.groups();
    }

    public JournalFiles files()
    {
        return files;
    }

    public ScanProgress progress()
    {
        return progress;
    }

    /** Link of the record handed out last. */
    public long chain()
    {
        return progress.chain();
    }

    /** The journal's directory, as the user named it. */
    public String journal()
    {
        return files.journal();
    }

    /** Records handed out so far. */
    public long records()
    {
        return progress.records();
    }

    /** The chained hash over the records handed out so far, as 16 hexadecimal digits. */
    public String digest()
    {
        return Chain.text(progress.chain());
    }

    /** How the journal ends; OPEN before {@link #next()} has returned false. */
    public Ending ending()
    {
        return end == null ? Ending.OPEN : end.ending();
    }

    /** {@code null} before {@link #next()} has returned false. */
    public ScanEnd end()
    {
        return end;
    }

    @Override
    public void close()
    {
        OpenScans.closed(this);
        if (walker != null)
        {
            walker.close();
            walker = null;
        }
    }
}
