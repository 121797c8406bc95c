// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.InvariantViolation;
import io.signalbox.journal.segment.RecoveryCase.Evidence;
import io.signalbox.journal.segment.RecoveryCase.Found;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The recovery table against a second statement of it, for every combination of evidence. */
final class RecoveryCaseTest
{
    /** The verdict as nested questions in the order in which a reader of the journal asks them. */
    private static RecoveryCase expected(final Evidence e)
    {
        if (isImpossible(e))
        {
            return RecoveryCase.IMPOSSIBLE;
        }
        if (e.endDeclared())
        {
            return e.followed() ? RecoveryCase.WRITTEN_BEHIND_CUT : RecoveryCase.CUT_DECLARED;
        }
        return switch (e.found())
        {
            case ABSENT -> RecoveryCase.SEGMENT_ABSENT;
            case VALID -> record(e);
            case BLANK -> blank(e);
            case BROKEN -> broken(e);
        };
    }

    private static boolean isImpossible(final Evidence e)
    {
        final int answers = (e.versionKnown() ? 1 : 0) + (e.sequenceExpected() ? 2 : 0) + (e.links() ? 4 : 0);
        final boolean inOrder = answers == 0 || answers == 1 || answers == 3 || answers == 7;
        return !inOrder || answers > 0 && e.found() != Found.VALID || e.endDeclared() && e.found() != Found.BLANK;
    }

    private static RecoveryCase record(final Evidence e)
    {
        if (!e.versionKnown())
        {
            return RecoveryCase.NEWER_VERSION;
        }
        if (!e.sequenceExpected())
        {
            return RecoveryCase.OUT_OF_SEQUENCE;
        }
        return e.links() ? RecoveryCase.IN_PLACE : RecoveryCase.DOES_NOT_LINK;
    }

    private static RecoveryCase blank(final Evidence e)
    {
        if (e.followed() || e.belowSyncedMark())
        {
            return RecoveryCase.END_TOO_EARLY;
        }
        return e.groupOpen() ? RecoveryCase.GROUP_INCOMPLETE : RecoveryCase.CLEAN_END;
    }

    private static RecoveryCase broken(final Evidence e)
    {
        if (e.belowSyncedMark())
        {
            return RecoveryCase.BROKEN_BELOW_MARK;
        }
        return e.followed() ? RecoveryCase.BROKEN_BEFORE_RECORDS : RecoveryCase.APPEND_INCOMPLETE;
    }

    private static RecoveryCase looked(final int index)
    {
        try
        {
            return RecoveryCase.of(index);
        }
        catch (final InvariantViolation e)
        {
            assertEquals("a scan found evidence that contradicts itself: " + Evidence.at(index), e.getMessage());
            return RecoveryCase.IMPOSSIBLE;
        }
    }

    @Test
    void shouldHaveOneVerdictForEachOf512Combinations()
    {
        assertEquals(512, RecoveryCase.EVIDENCE_COUNT);
        for (int index = 0; index < RecoveryCase.EVIDENCE_COUNT; index++)
        {
            final Evidence evidence = Evidence.at(index);
            assertEquals(expected(evidence), looked(index), evidence.toString());
        }
    }

    @Test
    void shouldNumberEveryCombinationOnce()
    {
        for (int index = 0; index < RecoveryCase.EVIDENCE_COUNT; index++)
        {
            final Evidence e = Evidence.at(index);
            assertEquals(index, Evidence.index(e.found(), e.versionKnown(), e.sequenceExpected(), e.links(),
                e.endDeclared(), e.followed(), e.belowSyncedMark(), e.groupOpen()));
        }
    }

    /** A condition that changes by one question changes these counts. */
    @Test
    void shouldKeepTheSizeOfEachCase()
    {
        final Map<RecoveryCase, Integer> counts = new EnumMap<>(RecoveryCase.class);
        for (int index = 0; index < RecoveryCase.EVIDENCE_COUNT; index++)
        {
            counts.merge(looked(index), 1, Integer::sum);
        }
        assertEquals("{IN_PLACE=8, CUT_DECLARED=4, WRITTEN_BEHIND_CUT=4, NEWER_VERSION=8, OUT_OF_SEQUENCE=8, " +
            "DOES_NOT_LINK=8, SEGMENT_ABSENT=8, CLEAN_END=1, GROUP_INCOMPLETE=1, APPEND_INCOMPLETE=2, END_TOO_EARLY=6, " +
            "BROKEN_BEFORE_RECORDS=2, BROKEN_BELOW_MARK=4, IMPOSSIBLE=448}", counts.toString());
    }

    @Test
    void shouldAssertThatEvidenceDoesNotContradictItself()
    {
        final int broken = Evidence.index(Found.BROKEN, true, false, false, false, false, false, false);

        final InvariantViolation violation = assertThrows(InvariantViolation.class, () -> RecoveryCase.of(broken));
        assertTrue(violation.getMessage().contains("found=BROKEN, versionKnown=true"), violation.getMessage());
    }

    @Test
    void shouldDocumentEveryCaseWithItsEvidenceAndVerdict() throws IOException
    {
        final List<String> rows = new ArrayList<>();
        try (Stream<Path> pages = Files.list(Path.of(System.getProperty("signalbox.root"), "docs")))
        {
            for (final Path page : pages.filter(Files::isRegularFile).toList())
            {
                rows.addAll(Files.readAllLines(page));
            }
        }
        for (final RecoveryCase documented : RecoveryCase.values())
        {
            final String end = "| " + documented.sentence() + " | " + documented + " | " + verdict(documented) + " |";
            assertTrue(rows.stream().anyMatch(row -> row.endsWith(end)), "no page has a row that ends with " + end);
        }
    }

    private static String verdict(final RecoveryCase documented)
    {
        return switch (documented.decision())
        {
            case ACCEPT -> "accept";
            case END -> "end";
            case TRUNCATE_TORN -> "cut when opened to write, else refuse: " + documented.refusal();
            case REFUSE -> "refuse: " + documented.refusal();
            case ASSERT -> "assert";
        };
    }
}
