// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;

/** Says why a scan stopped, in one sentence. */
final class ScanMessages
{
    private ScanMessages()
    {
    }

    static String reason(
        final RecoveryCase match, final SegmentWalker walker, final ScanProgress progress, final TailSearch rest)
    {
        return switch (match)
        {
            case NEWER_VERSION -> "the record has type " + Envelope.typeCode(walker.bytes(), walker.start()) +
                " and schema version " + Envelope.version(walker.bytes(), walker.start()) +
                ", of which this program knows types up to " + RecordType.CONTINUATION.code() + " and version " +
                Envelope.SCHEMA_VERSION;
            case OUT_OF_SEQUENCE -> "a whole record with sequence " +
                Envelope.sequence(walker.bytes(), walker.start()) + " stands where " + progress.records() + " belongs";
            case DOES_NOT_LINK -> "the record is whole but its chain, counts or place do not fit the records ahead of it";
            case GROUP_INCOMPLETE -> "the journal ends behind rows whose group was not written";
            case END_TOO_EARLY -> "the file reads as if it ended here, but " + proof(rest);
            case BROKEN_BEFORE_RECORDS -> fault(walker) + ", and " + proof(rest);
            case BROKEN_BELOW_MARK -> fault(walker) + ", and a later record knows it to have been synced";
            case APPEND_INCOMPLETE -> fault(walker) + ", and nothing stands behind it";
            default -> throw new IllegalArgumentException(match + " refuses nothing");
        };
    }

    private static String fault(final SegmentWalker walker)
    {
        return walker.fault() == null ? "bytes stand here without a header" : walker.fault();
    }

    private static String proof(final TailSearch rest)
    {
        return rest.found()
            ? "a whole record with sequence " + rest.foundSequence() + " stands further on"
            : "a later segment goes on";
    }

    static String sentence(
        final RecoveryCase match,
        final String reason,
        final String place,
        final long offset,
        final ScanProgress progress)
    {
        return place + " at byte " + offset + ", record " + progress.records() + ": " + reason + "; " +
            good(progress.records()) + "; " + remedy(match);
    }

    /** Nothing tells a journal whose writer never came to its first record from one that has lost them all. */
    static JournalException noRecord(final String journal)
    {
        return new JournalException(Kind.NO_RECORD, journal + " holds no whole record: either its writer was stopped " +
            "before it wrote the first one, or its records are lost; if it ever held one, restore it from a copy.",
            0, 0, 0, null);
    }

    private static String good(final long records)
    {
        return records == 0
            ? "no record stands ahead of it, so nothing is left to read"
            : "records 0 to " + (records - 1) + " are good";
    }

    private static String remedy(final RecoveryCase match)
    {
        return switch (match)
        {
            case NEWER_VERSION -> "read it with a newer Signalbox.";
            case SEGMENT_ABSENT -> "bring the segment back from a copy.";
            case GROUP_INCOMPLETE, APPEND_INCOMPLETE ->
                "recover the journal once, which cuts what is unfinished and keeps its bytes aside.";
            default -> "restore the file from a copy.";
        };
    }
}
