// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

/** The short way for entries of steady decoding decides what the general way decides, byte by byte. */
class SteadyDecodeTest
{
    private static final int RUNS = TestStrength.count(120, 2_000);
    private static final String FILE = "batch/SteadyDecode.java";
    private static final String PLAN = "if (position >= request.steadyPlanEnd)";
    private static final String NEVER_PLANNED = "if (plan.step() > 0 || position >= request.steadyPlanEnd)";
    private static final String PLAN_DRAFTS = "if (end > request.steadyPlanEnd ||";
    private static final String DRAFTS_NEVER_PLANNED = "if (plan.step() > 0 || end > request.steadyPlanEnd ||";
    private static final String COMMIT_DRAFTS = "if (!plan.isLateBound(entry) ||";
    private static final String DRAFTS_NEVER_COMMITTED = "if (plan.entryCount() > 0 || !plan.isLateBound(entry) ||";
    private static final String COMMIT = "return plan.isSteady(entry) &&";
    private static final String NEVER_COMMITTED = "return plan.entryCount() < 0 && plan.isSteady(entry) &&";

    /** Of the classes as they are. */
    private static String digests;

    @TempDir
    private Path directory;

    @BeforeAll
    static void play()
    {
        digests = DepthRuns.digests(RUNS);
    }

    @Test
    void shouldDecideTheSameWithoutTheShortWay()
    {
        final String general = MutatedClasses.of(FILE, List.of(PLAN, NEVER_PLANNED, COMMIT, NEVER_COMMITTED,
            PLAN_DRAFTS, DRAFTS_NEVER_PLANNED, COMMIT_DRAFTS, DRAFTS_NEVER_COMMITTED), directory)
            .call(DepthRuns.class, "digests", RUNS);
        assertEquals(general, digests);
    }

    @Test
    void shouldTakeTheShortWay()
    {
        final String wrong = MutatedClasses.of(FILE, List.of("load.computed(request, 1);", "load.computed(request, 0);"),
            directory).call(DepthRuns.class, "firstFailure", RUNS);
        assertNotEquals(null, wrong);
    }

    @Test
    void shouldTakeTheShortWayWithDrafts()
    {
        final String wrong = MutatedClasses.of(FILE, List.of("load.computed(request, accepted);",
            "load.computed(request, 0);"), directory).call(DepthRuns.class, "firstFailure", RUNS);
        assertNotEquals(null, wrong);
    }

    /** The short ways of both writers give the bytes of the long ways. */
    @Test
    void shouldEncodeTheSameWithoutTheShortWays()
    {
        assertEquals(MutatedClasses.of("event/ScheduleWriter.java", List.of("if ((plan.admittedCount()",
            "if (plan.entryCount() < 0 && (plan.admittedCount()"), directory)
            .call(DepthRuns.class, "digests", RUNS), digests);
        assertEquals(MutatedClasses.of("event/CommitWriter.java", List.of("if ((result.registeredCount()",
            "if (result.tokenCount() < 0 && (result.registeredCount()"), directory)
            .call(DepthRuns.class, "digests", RUNS), digests);
    }

    @Test
    void shouldTakeTheShortWayOfCommits()
    {
        final String wrong = MutatedClasses.of("event/CommitWriter.java",
            List.of("            result.missingRows(), result", "            result.missingRows() + 1, result"), directory)
            .call(DepthRuns.class, "digests", RUNS);
        assertNotEquals(digests, wrong);
    }
}
