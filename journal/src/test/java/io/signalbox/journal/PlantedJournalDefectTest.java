// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.restart.RestartRuns;
import io.signalbox.scheduler.MutatedClasses;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The runs of restarts, of retention and of upkeep find a defect that breaks a written contract, and nothing else. */
@Timeout(600)
final class PlantedJournalDefectTest
{
    private static final int SEEDS = 6;

    @TempDir
    private Path directory;

    /** The contract that a defect breaks, the runs that find it, a source text and its replacement. */
    enum Plant
    {
        EPOCH_NOT_RAISED("A restart begins a new epoch.", RestartRuns.class,
            "engine/EngineStart.java", "resets.nextEpoch()", "Math.max(1, dispatcher.lastEpoch())"),
        NEXT_ID_REUSED("Request ids go on after a restart.", RestartRuns.class,
            "engine/EngineClient.java", "nextRequestId.set(requests.nextRequestId())", "nextRequestId.set(1)"),
        TOKENS_TWICE("After a restart a client has each token once.", RestartRuns.class,
            "engine/ResumedRequests.java", "                    handle.emitted(commit.token(i), commit.logprob(i));\n",
            "                    handle.emitted(commit.token(i), commit.logprob(i));\n" +
                "                    handle.emitted(commit.token(i), commit.logprob(i));\n"),
        ROWS_DROPPED("Rows of ended requests survive a restart until the client takes them.", RestartRuns.class,
            "engine/EngineStart.java", "                finishedRows.update(scheduler);\n", ""),
        REQUESTS_FORGOTTEN("A segment that a live request needs is not removed.", RetentionRuns.class,
            "journal/JournalRetention.java", "newest = atMost(newest, need.segment(),", "newest = atMost(newest, newest,"),
        READER_IGNORED("A segment that a reader is reading is not removed.", RetentionRuns.class,
            "journal/JournalRetention.java", "newest = atMost(newest, OpenScans.oldestSegment(directory),",
            "newest = atMost(newest, newest,"),
        TOLD_AGAIN("Upkeep reports each kind of fault once.", UpkeepRuns.class,
            "journal/JournalUpkeep.java", "if (told.get(work).add(failure.kind()))",
            "if (told.get(work).add(failure.kind()) | failedTurns > 0)"),
        GIVES_UP("Upkeep tries again after the disk was full.", UpkeepRuns.class,
            "journal/JournalUpkeep.java", "            case DISK_FULL, STORE_FAILED,", "            case DISK_FULL,");

        private final String contract;
        private final Class<?> runs;
        private final String file;
        private final List<String> edits;

        Plant(final String contract, final Class<?> runs, final String file, final String... edits)
        {
            this.contract = contract;
            this.runs = runs;
            this.file = file;
            this.edits = List.of(edits);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindTheBrokenContract(final Plant plant)
    {
        assertNotNull(MutatedClasses.of(plant.file, plant.edits, directory).call(plant.runs, "firstFailure", SEEDS),
            () -> "nothing finds: " + plant.contract);
    }

    @ParameterizedTest
    @ValueSource(classes = {RestartRuns.class, RetentionRuns.class, UpkeepRuns.class})
    void shouldFindNothingInClassesThatAreLoadedAnewWithoutAChange(final Class<?> runs)
    {
        assertNull(MutatedClasses.unchanged(directory).call(runs, "firstFailure", SEEDS));
    }
}
