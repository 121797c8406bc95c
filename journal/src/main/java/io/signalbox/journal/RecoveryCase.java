// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.InvariantViolation;
import io.signalbox.journal.JournalException.Kind;

import java.util.function.Predicate;

/**
 * The recovery table: what a scan does at a position, for every evidence it can find there. Exactly one case holds;
 * that is checked at every decision.
 */
enum RecoveryCase
{
    /** A whole record, in its place. */
    IN_PLACE(Decision.ACCEPT, null,
        e -> !e.endDeclared() && valid(e) && e.versionKnown() && e.sequenceExpected() && e.links()),
    /** The next segment says that this one was cut here. */
    CUT_DECLARED(Decision.ACCEPT, null,
        e -> e.endDeclared() && !e.followed()),
    /** The next segment says that this one was cut here, and yet a writer went on behind the cut. */
    WRITTEN_BEHIND_CUT(Decision.REFUSE, Kind.TWO_WRITERS,
        e -> e.endDeclared() && e.followed()),
    /** Written by another version of this program. */
    NEWER_VERSION(Decision.REFUSE, Kind.UNSUPPORTED_VERSION,
        e -> !e.endDeclared() && valid(e) && !e.versionKnown()),
    /** Records were lost, doubled or moved. */
    OUT_OF_SEQUENCE(Decision.REFUSE, Kind.SEQUENCE_GAP,
        e -> !e.endDeclared() && valid(e) && e.versionKnown() && !e.sequenceExpected()),
    /** The right number with another history, or from another place. */
    DOES_NOT_LINK(Decision.REFUSE, Kind.FOREIGN_FILE,
        e -> !e.endDeclared() && valid(e) && e.versionKnown() && e.sequenceExpected() && !e.links()),
    /** A segment is not there, and a later segment or a seal says that it was. */
    SEGMENT_ABSENT(Decision.REFUSE, Kind.MISSING_SEGMENT,
        e -> !e.endDeclared() && e.found() == Found.ABSENT),
    /** Nothing was written here or behind. */
    CLEAN_END(Decision.END, null,
        e -> blank(e) && !e.followed() && !e.belowSyncedMark() && !e.groupOpen()),
    /** Rows were written and their group was not. */
    GROUP_INCOMPLETE(Decision.TRUNCATE_TORN, Kind.TORN_TAIL,
        e -> blank(e) && !e.followed() && !e.belowSyncedMark() && e.groupOpen()),
    /** The last append did not finish. */
    APPEND_INCOMPLETE(Decision.TRUNCATE_TORN, Kind.TORN_TAIL,
        e -> broken(e) && !e.followed() && !e.belowSyncedMark()),
    /** It looks like the end, and more was written. */
    END_TOO_EARLY(Decision.REFUSE, Kind.SHORT_READ,
        e -> blank(e) && (e.followed() || e.belowSyncedMark())),
    /** Damage that no crash leaves: whole records stand behind it. */
    BROKEN_BEFORE_RECORDS(Decision.REFUSE, Kind.CORRUPT_RECORD,
        e -> broken(e) && e.followed() && !e.belowSyncedMark()),
    /** Damage to a record that was known to be synced. */
    BROKEN_BELOW_MARK(Decision.REFUSE, Kind.CORRUPT_RECORD,
        e -> broken(e) && e.belowSyncedMark());

    /** What a scan does. */
    enum Decision
    {
        ACCEPT,
        END,
        /** Only when opening to write; a reader refuses. */
        TRUNCATE_TORN,
        REFUSE
    }

    /** What stands at the position. */
    enum Found
    {
        /** A record whose length, magic and CRC fit. */
        VALID,
        /** Nothing: zeros to the end of the file. */
        BLANK,
        /** Something that is no whole record. */
        BROKEN,
        /** No file. */
        ABSENT
    }

    /**
     * Everything that a decision depends on.
     *
     * @param versionKnown     its type and schema version are known here.
     * @param sequenceExpected it bears the next sequence number.
     * @param links            its chain, its place and its counts fit what stands ahead of it.
     * @param endDeclared      the next segment says that this one was cut at this very record.
     * @param followed         a whole record stands behind it, here or in a later segment.
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
    }

    private final Decision decision;
    private final Kind refusal;
    private final Predicate<Evidence> condition;

    RecoveryCase(final Decision decision, final Kind refusal, final Predicate<Evidence> condition)
    {
        this.decision = decision;
        this.refusal = refusal;
        this.condition = condition;
    }

    private static boolean valid(final Evidence evidence)
    {
        return evidence.found() == Found.VALID;
    }

    private static boolean blank(final Evidence evidence)
    {
        return !evidence.endDeclared() && evidence.found() == Found.BLANK;
    }

    private static boolean broken(final Evidence evidence)
    {
        return !evidence.endDeclared() && evidence.found() == Found.BROKEN;
    }

    static RecoveryCase of(final Evidence evidence)
    {
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

    Decision decision()
    {
        return decision;
    }

    /** The kind with which a reader refuses; null where it does not. */
    Kind refusal()
    {
        return refusal;
    }
}
