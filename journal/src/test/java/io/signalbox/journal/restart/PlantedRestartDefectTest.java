// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.scheduler.MutatedClasses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The tests of a restart find every planted defect of the engine: 8 in every build, all in full runs. */
@Timeout(600)
final class PlantedRestartDefectTest
{
    private static final int SEEDS = 6;

    @TempDir
    private Path directory;

    /** A defect of one file; the first ones are planted in every build. */
    enum Plant
    {
        EPOCH_NOT_RAISED("EngineStart.java", "resets.nextEpoch()", "Math.max(1, dispatcher.lastEpoch())"),
        NEXT_ID_REUSED("EngineClient.java", "nextRequestId.set(requests.nextRequestId())", "nextRequestId.set(1)"),
        TOKENS_TWICE("ResumedRequests.java",
            "                    handle.emitted(commit.token(i), commit.logprob(i));\n",
            "                    handle.emitted(commit.token(i), commit.logprob(i));\n" +
                "                    handle.emitted(commit.token(i), commit.logprob(i));\n"),
        ROWS_DROPPED("EngineStart.java", "                finishedRows.update(scheduler);\n", ""),
        READ_ROWS_RELEASED("RowTaking.java", "                return copy(handle, completion);\n",
            "                return take(handle, timeoutNanos);\n"),
        LAST_ID_TAKEN("ResumedRequests.java", "highestId = Math.max(highestId, message.requestId())",
            "highestId = message.requestId()"),
        REFUSALS_FORGOTTEN("ResumedRequests.java",
            "        ends.addLast(new End(groups, handle, () -> handle.refused(refusal)));\n", ""),
        CLOCK_GOES_BACK("ContinuedClock.java", "aheadNanos = Math.max(0, nanos - given.getAsLong())", "aheadNanos = 0"),
        NO_RESET("EngineStart.java", "        if (continues)\n", "        if (continues && timeNanos < 0)\n"),
        ROWS_AHEAD_OF_SNAPSHOT_DROPPED("EngineStart.java", "            finishedRows.resume(confirmed, ends);\n", ""),
        CONTENT_DROPPED("EngineStart.java", "            dispatcher.replay(group, offset, length);\n", ""),
        LIVE_HANDLES_FORGOTTEN("EngineClient.java", "filter(requests::isLive)", "filter(handle -> false)"),
        ENDS_FORGOTTEN("ResumedRequests.java", "            ends.addLast(end);\n", ""),
        ROWS_OFFERED_AGAIN("ResumedRequests.java", "                end.handle.rowClaim().claim();\n", ""),
        KV_MEMORY_TRUSTED("request/ShellInputs.java", "kvMemoryKept(Flag.NO)", "kvMemoryKept(Flag.YES)"),
        STILL_DRAINING("request/ShellInputs.java", "restart(Flag.YES)", "restart(Flag.NO)"),
        WEIGHTS_FORGOTTEN("Dispatcher.java", "        if (weightGeneration == 0)\n", "        if (weightGeneration < 9)\n");

        private final String file;
        private final List<String> edits;

        Plant(final String file, final String... edits)
        {
            this.file = file;
            this.edits = List.of(edits);
        }
    }

    static Stream<Plant> plants()
    {
        final boolean full = "full".equals(System.getProperty("signalbox.tests"));
        return Arrays.stream(Plant.values()).filter(plant -> full || plant.compareTo(Plant.CLOCK_GOES_BACK) <= 0);
    }

    @ParameterizedTest
    @MethodSource("plants")
    void shouldFindThePlantedDefect(final Plant plant)
    {
        final MutatedClasses classes = MutatedClasses.of("engine/" + plant.file, plant.edits, directory);
        assertNotNull(firstFailure(classes), "nothing finds " + plant);
    }

    /** Also those that only a full build plants. */
    @ParameterizedTest
    @EnumSource
    void shouldFitItsSource(final Plant plant)
    {
        assertFalse(MutatedClasses.changed("engine/" + plant.file, plant.edits).isEmpty());
    }

    @Test
    void shouldFindNothingInAnEngineThatIsLoadedAnewWithoutAChange()
    {
        assertNull(firstFailure(MutatedClasses.unchanged(directory)));
    }

    private static String firstFailure(final MutatedClasses classes)
    {
        return classes.call(RestartRuns.class, "firstFailure", SEEDS);
    }
}
