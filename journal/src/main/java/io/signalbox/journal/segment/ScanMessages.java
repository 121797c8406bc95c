// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;

import java.nio.file.Path;

/** Explains why a scan stopped, in one sentence. */
public final class ScanMessages
{
    private static final String VERSION_4 = "the record has schema version 4, and this program reads version " +
        Envelope.SCHEMA_VERSION + "; the last commit that reads version 4 is e6420428";

    private ScanMessages()
    {
    }

    static String reason(
        final RecoveryCase match,
        final SegmentWalker walker,
        final ScanProgress progress,
        final TailSearch rest,
        final Successor successor)
    {
        return switch (match)
        {
            case NEWER_VERSION -> Envelope.version(walker.bytes(), walker.start()) == 4 ? VERSION_4 :
                "the record has type " + Envelope.typeCode(walker.bytes(), walker.start()) +
                ", payload form " + Envelope.form(walker.bytes(), walker.start()) + " and schema version " +
                Envelope.version(walker.bytes(), walker.start()) + ", of which this program knows types up to " +
                RecordType.VOID.code() + ", form " + Envelope.PLAIN + " and version " + Envelope.SCHEMA_VERSION;
            case OUT_OF_SEQUENCE -> "a whole record has sequence " +
                Envelope.sequence(walker.bytes(), walker.start()) + " in the place of " + progress.records();
            case DOES_NOT_LINK -> "the record is whole but its chain, counts or place do not fit the records before it";
            case GROUP_INCOMPLETE -> "the journal ends after rows whose group was not written";
            case END_TOO_EARLY -> "the file reads as if it ended here, but " + proof(rest, successor);
            case BROKEN_BEFORE_RECORDS -> fault(walker) + ", and " + proof(rest, successor);
            case WRITTEN_BEHIND_CUT -> "the next segment says that this one was cut here, but a whole record with " +
                "sequence " + rest.foundSequence() + " follows: two processes wrote this journal at the same time";
            case BROKEN_BELOW_MARK -> fault(walker) + ", and a later record knows it to have been synced";
            case APPEND_INCOMPLETE -> fault(walker) + ", and nothing follows it";
            default -> throw new IllegalArgumentException(match + " refuses nothing");
        };
    }

    private static String fault(final SegmentWalker walker)
    {
        return walker.fault() == null ? "bytes without a header are here" : walker.fault();
    }

    private static String proof(final TailSearch rest, final Successor successor)
    {
        if (rest.found())
        {
            return "a whole record with sequence " + rest.foundSequence() + " follows later";
        }
        return successor.foreign() == null ? "a later segment continues" : successor.foreign();
    }

    static String sentence(
        final RecoveryCase match,
        final String reason,
        final Path journal,
        final String place,
        final long offset,
        final ScanProgress progress,
        final Successor successor)
    {
        return journal.resolve(place) + " at byte " + offset + ", record " + progress.records() + ": " + reason + "; " +
            good(progress.records()) + "; " + remedy(match, reason, journal, successor);
    }

    /** A journal whose writer never wrote its first record looks like one that has lost all records. */
    public static JournalException noRecord(final String journal)
    {
        return new JournalException(Kind.NO_RECORD, journal + " holds no whole record: either its writer was stopped " +
            "before it wrote the first one, and 'signalbox replay " + journal + " --recover' frees the directory, or its " +
            "records are lost; if it ever held one, restore it from a copy.", 0, 0, 0, null);
    }

    /** Names a journal below the directory, if there is one: users give the parent of many. */
    public static JournalException noJournal(final Path directory)
    {
        final Path below = DirectoryFiles.newestJournalBelow(directory);
        return new JournalException(Kind.NOT_A_JOURNAL, directory + " holds no journal segment; give the directory of a " +
            "journal" + (below == null ? ", which holds segment-00000 and so on." : ", for example " + below + "."));
    }

    private static String good(final long records)
    {
        return records == 0
            ? "no record precedes it, so nothing is left to read"
            : "records 0 to " + (records - 1) + " are good";
    }

    private static String remedy(
        final RecoveryCase match, final String reason, final Path journal, final Successor successor)
    {
        if (successor != null && successor.foreign() != null && reason.endsWith(successor.foreign()))
        {
            return "restore that file from a copy, or move its directory away if it is not part of this journal.";
        }
        return switch (match)
        {
            case NEWER_VERSION -> reason.equals(VERSION_4) ? "check out that commit and read the journal with it." :
                "read it with the version of Signalbox that wrote it.";
            case WRITTEN_BEHIND_CUT -> "restore the journal from a copy, or move the later segments away to keep the " +
                "records of this one.";
            case SEGMENT_ABSENT -> "bring the segment back from a copy.";
            case GROUP_INCOMPLETE, APPEND_INCOMPLETE ->
                "recover the journal once with 'signalbox replay " + journal +
                    " --recover', which cuts what is unfinished and keeps its bytes aside.";
            default -> "restore the file from a copy.";
        };
    }
}
