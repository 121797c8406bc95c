// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.InvariantViolation;
import io.signalbox.journal.JournalException.Kind;

import java.util.function.Predicate;

/**
 * The recovery table: the action of a scan at a position, for all {@link #EVIDENCE_COUNT} combinations of evidence. The
 * case of each combination is computed once, when the class is loaded; a scan looks it up for every record. Exactly one
 * case holds for each combination. A combination that contradicts itself is {@link #IMPOSSIBLE}: no file can cause one.
 */
enum RecoveryCase
{
    /** A whole record, in its place. */
    IN_PLACE(Decision.ACCEPT, null, "its sequence is the next one, and chain, place and counts fit",
        e -> e.valid() && e.links()),
    /** The next segment says that this one was cut here. */
    CUT_DECLARED(Decision.ACCEPT, null, "the next segment says that this one was cut here",
        e -> e.endDeclared() && !e.followed()),
    /** The next segment says that this one was cut here, but a writer continued behind the cut. */
    WRITTEN_BEHIND_CUT(Decision.REFUSE, Kind.TWO_WRITERS,
        "the next segment says that this one was cut here, and a whole record follows",
        e -> e.endDeclared() && e.followed()),
    /** Written by another version of this program. */
    NEWER_VERSION(Decision.REFUSE, Kind.UNSUPPORTED_VERSION, "its type or schema version is not known",
        e -> e.valid() && !e.versionKnown()),
    /** Records were lost, doubled or moved. */
    OUT_OF_SEQUENCE(Decision.REFUSE, Kind.SEQUENCE_GAP, "its sequence is not the next one",
        e -> e.valid() && e.versionKnown() && !e.sequenceExpected()),
    /** The right number with another history, or from another place. */
    DOES_NOT_LINK(Decision.REFUSE, Kind.FOREIGN_FILE, "its sequence is the next one; chain, place or counts do not fit",
        e -> e.valid() && e.sequenceExpected() && !e.links()),
    /** A segment is missing, and a later segment or a seal says that it existed. */
    SEGMENT_ABSENT(Decision.REFUSE, Kind.MISSING_SEGMENT, "a seal or a later segment says that there was one",
        e -> e.found() == Found.ABSENT),
    /** Nothing was written here or later. */
    CLEAN_END(Decision.END, null, "the last group is whole and nothing follows",
        e -> e.blank() && !e.followed() && !e.belowSyncedMark() && !e.groupOpen()),
    /** Rows were written and their group was not. */
    GROUP_INCOMPLETE(Decision.TRUNCATE_TORN, Kind.TORN_TAIL, "rows without their group, and nothing follows",
        e -> e.blank() && !e.followed() && !e.belowSyncedMark() && e.groupOpen()),
    /** The last append did not finish. */
    APPEND_INCOMPLETE(Decision.TRUNCATE_TORN, Kind.TORN_TAIL, "nothing whole follows",
        e -> e.broken() && !e.followed() && !e.belowSyncedMark()),
    /** It looks like the end, but more was written. */
    END_TOO_EARLY(Decision.REFUSE, Kind.SHORT_READ, "a whole record or a later segment follows, or it was synced",
        e -> e.blank() && (e.followed() || e.belowSyncedMark())),
    /** Damage that no crash leaves: whole records follow it. */
    BROKEN_BEFORE_RECORDS(Decision.REFUSE, Kind.CORRUPT_RECORD, "a whole record or a later segment follows",
        e -> e.broken() && e.followed() && !e.belowSyncedMark()),
    /** Damage to a record that was known to be synced. */
    BROKEN_BELOW_MARK(Decision.REFUSE, Kind.CORRUPT_RECORD, "a record that was read knows it to be synced",
        e -> e.broken() && e.belowSyncedMark()),
    /** The evidence contradicts itself. */
    IMPOSSIBLE(Decision.ASSERT, null, "the evidence contradicts itself", Evidence::contradictsItself);

    /** Combinations of evidence: four kinds of document and seven yes-or-no questions. */
    static final int EVIDENCE_COUNT = 1 << 9;

    private static final RecoveryCase[] TABLE = table();

    /** Action of a scan. */
    enum Decision
    {
        ACCEPT,
        END,
        /** Only when opening to write; a reader refuses. */
        TRUNCATE_TORN,
        REFUSE,
        /** Throws: the scan itself is at fault. */
        ASSERT
    }

    /** Kind of document at the position. */
    enum Found
    {
        /** A record whose length, magic and CRC fit. */
        VALID,
        /** Nothing: zeros to the end of the file, or the rest behind a declared cut, which is not read. */
        BLANK,
        /** Bytes that are not a whole record. */
        BROKEN,
        /** No file. */
        ABSENT
    }

    /**
     * The evidence that a decision depends on.
     *
     * @param versionKnown     its type and schema version are known here.
     * @param sequenceExpected it has the next sequence number; asked only if the version is known.
     * @param links            its chain, place and counts fit the records ahead; asked only if the sequence is expected.
     * @param endDeclared      the next segment says that this one was cut at this very record.
     * @param followed         a whole record follows, here or in a later segment; searched for unless the record links.
     * @param belowSyncedMark  a record was found that knows the record expected here to be synced.
     * @param groupOpen        the records ahead are rows whose group is still to come.
     */
    record Evidence(
        Found found,
        boolean versionKnown,
        boolean sequenceExpected,
        boolean links,
        boolean endDeclared,
        boolean followed,
        boolean belowSyncedMark,
        boolean groupOpen)
    {
        private static final int FOUND_BITS = 7;
        private static final Found[] FOUND = Found.values();

        /** The evidence with this index, 0 to {@link #EVIDENCE_COUNT} - 1. */
        static Evidence at(final int index)
        {
            return new Evidence(FOUND[index >>> FOUND_BITS], bit(index, 6), bit(index, 5), bit(index, 4), bit(index, 3),
                bit(index, 2), bit(index, 1), bit(index, 0));
        }

        private static boolean bit(final int index, final int number)
        {
            return (index >>> number & 1) == 1;
        }

        /** The index of the evidence; a scan needs no object. */
        static int index(
            final Found found,
            final boolean versionKnown,
            final boolean sequenceExpected,
            final boolean links,
            final boolean endDeclared,
            final boolean followed,
            final boolean belowSyncedMark,
            final boolean groupOpen)
        {
            return found.ordinal() << FOUND_BITS | (versionKnown ? 1 << 6 : 0) | (sequenceExpected ? 1 << 5 : 0) |
                (links ? 1 << 4 : 0) | (endDeclared ? 1 << 3 : 0) | (followed ? 1 << 2 : 0) |
                (belowSyncedMark ? 1 << 1 : 0) | (groupOpen ? 1 : 0);
        }

        /**
         * Only a record has a version, a sequence and links; each is asked for only if the one before it holds. The
         * position of a declared cut is not read.
         */
        private boolean contradictsItself()
        {
            final boolean answersOfARecord = versionKnown || sequenceExpected || links;
            return found != Found.VALID && answersOfARecord || sequenceExpected && !versionKnown ||
                links && !sequenceExpected || endDeclared && found != Found.BLANK;
        }

        private boolean valid()
        {
            return found == Found.VALID;
        }

        private boolean blank()
        {
            return found == Found.BLANK && !endDeclared;
        }

        private boolean broken()
        {
            return found == Found.BROKEN;
        }
    }

    private final Decision decision;
    private final Kind refusal;
    private final String sentence;
    private final Predicate<Evidence> condition;

    RecoveryCase(
        final Decision decision, final Kind refusal, final String sentence, final Predicate<Evidence> condition)
    {
        this.decision = decision;
        this.refusal = refusal;
        this.sentence = sentence;
        this.condition = condition;
    }

    private static RecoveryCase[] table()
    {
        final RecoveryCase[] table = new RecoveryCase[EVIDENCE_COUNT];
        for (int index = 0; index < EVIDENCE_COUNT; index++)
        {
            table[index] = only(Evidence.at(index));
        }
        return table;
    }

    /** The one case that holds; evidence that contradicts itself is always {@link #IMPOSSIBLE}. */
    private static RecoveryCase only(final Evidence evidence)
    {
        if (evidence.contradictsItself())
        {
            return IMPOSSIBLE;
        }
        RecoveryCase match = null;
        for (final RecoveryCase candidate : values())
        {
            if (candidate.condition.test(evidence))
            {
                if (match != null)
                {
                    throw new InvariantViolation("both " + match + " and " + candidate + " hold for " + evidence);
                }
                match = candidate;
            }
        }
        if (match == null)
        {
            throw new InvariantViolation("no recovery case holds for " + evidence);
        }
        return match;
    }

    /**
     * The case of an {@link Evidence#index}.
     *
     * @throws InvariantViolation if the evidence contradicts itself.
     */
    static RecoveryCase of(final int evidence)
    {
        final RecoveryCase match = TABLE[evidence];
        if (match == IMPOSSIBLE)
        {
            throw new InvariantViolation("a scan found evidence that contradicts itself: " + Evidence.at(evidence));
        }
        return match;
    }

    Decision decision()
    {
        return decision;
    }

    /** The kind with which a reader refuses; {@code null} if it does not. */
    Kind refusal()
    {
        return refusal;
    }

    /** The evidence as the documents have it. */
    String sentence()
    {
        return sentence;
    }
}
