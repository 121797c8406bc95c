// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** A request that is the reason for no failed step never ends as FAILED, however few failures a request may have. */
class InnocentRequestTest
{
    private static final int RUNS = TestStrength.count(100, 20_000);

    @TempDir
    private Path directory;

    @Test
    void shouldFailNoRequestForTheSakeOfAnother()
    {
        assertNull(InnocentRuns.firstFailure(RUNS));
    }

    @Test
    void shouldLetSuspectsAndOthersTakeTurns()
    {
        assertNull(InnocentRuns.firstFailureWithRoom(RUNS));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "batch/Suspects.java|inStep = any && !isOthers;|inStep = any;",
        "batch/Suspects.java|takesTurns && any|any",
        "batch/Suspects.java|plan.entryCount() > 0 ? inStep : isTurnOfOthers|isTurnOfOthers"})
    void shouldFindThePlantedDefectOfTurns(final String file, final String original, final String replacement)
    {
        assertNotNull(MutatedClasses.of(file, List.of(original, replacement), directory)
            .call(InnocentRuns.class, "firstFailureWithRoom", 500), replacement);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "batch/FailedTries.java|alone += entries == 1 ? 1 : 0;|alone++;",
        "batch/FailedTries.java|Math.min(together, entries) / 2|Math.min(together, entries)",
        "batch/Suspects.java|Math.min(most, request.mostTogether());|FailedTries.ANY_NUMBER;",
        "batch/Suspects.java|isSuspect(request) != inStep|isSuspect(request) && !inStep",
        "batch/BatchPlanner.java|suspects.placed(request);|suspects.hashCode();",
        "scheduler/StepFailures.java|rank.open.at(i).step() == step|rank.open.at(i).step() >= step"})
    void shouldFindThePlantedDefect(final String file, final String original, final String replacement)
    {
        assertNotNull(MutatedClasses.of(file, List.of(original, replacement), directory)
            .call(InnocentRuns.class, "firstFailure", 500), replacement);
    }
}
