// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The tests of a restart find every defect that is planted into the engine. */
@Timeout(600)
final class PlantedRestartDefectTest
{
    @TempDir
    private Path directory;

    /** A defect of one file. */
    enum Plant
    {
        EPOCH_NOT_RAISED("EngineStart.java", "resets.nextEpoch()", "Math.max(1, dispatcher.lastEpoch())"),
        NO_RESET("EngineStart.java", "        if (continues)\n", "        if (continues && timeNanos < 0)\n"),
        ROWS_DROPPED("EngineStart.java", "            finishedRows.update(scheduler);\n", ""),
        CONTENT_DROPPED("EngineStart.java", "            dispatcher.replay(group, offset, length);\n", ""),
        NEXT_ID_REUSED("EngineClient.java", "nextRequestId.set(requests.nextRequestId())", "nextRequestId.set(1)"),
        LIVE_HANDLES_FORGOTTEN("EngineClient.java", "filter(requests::isLive)", "filter(handle -> false)"),
        TOKENS_TWICE("ResumedRequests.java",
            "                find(commit.requestId(entry)).emitted(commit.token(i), commit.logprob(i));\n",
            "                find(commit.requestId(entry)).emitted(commit.token(i), commit.logprob(i));\n" +
                "                find(commit.requestId(entry)).emitted(commit.token(i), commit.logprob(i));\n"),
        ENDS_FORGOTTEN("ResumedRequests.java", "            ends.addLast(end);\n", ""),
        ROWS_OFFERED_AGAIN("ResumedRequests.java", "                end.handle.takeRows();\n", ""),
        CLOCK_GOES_BACK("ContinuedClock.java", "aheadNanos = Math.max(0, nanos - given.getAsLong())", "aheadNanos = 0"),
        KV_MEMORY_TRUSTED("ShellInputs.java", "kvMemoryKept(Flag.NO)", "kvMemoryKept(Flag.YES)"),
        STILL_DRAINING("ShellInputs.java", "restart(Flag.YES)", "restart(Flag.NO)"),
        WEIGHTS_FORGOTTEN("Dispatcher.java", "        if (weightGeneration > 0)\n", "        if (weightGeneration > 9)\n");

        private final String file;
        private final List<String> edits;

        Plant(final String file, final String... edits)
        {
            this.file = file;
            this.edits = List.of(edits);
        }
    }

    @ParameterizedTest
    @EnumSource(Plant.class)
    void shouldFindThePlantedDefect(final Plant plant) throws IOException
    {
        assertNotNull(new PlantedEngine(plant.file, plant.edits, directory).firstFailure(), "nothing finds " + plant);
    }

    @Test
    void shouldFindNothingInAnEngineThatIsLoadedAnewWithoutAChange() throws IOException
    {
        assertNull(new PlantedEngine(null, List.of(), directory).firstFailure());
    }
}
