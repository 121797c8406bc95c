// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

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

/** The checks of upkeep beside a run, and of the beginning of answers from a shortened journal, find each planted defect. */
@Timeout(600)
final class PlantedUpkeepDefectTest
{
    @TempDir
    private Path directory;

    /** A defect of one file; the first five are planted in every build. */
    enum Plant
    {
        GIVES_UP("JournalUpkeep.java", "            case DISK_FULL, STORE_FAILED,", "            case DISK_FULL,"),
        TOLD_AGAIN("JournalUpkeep.java", "if (told.get(work).add(failure.kind()))",
            "if (told.get(work).add(failure.kind()) | failedTurns > 0)"),
        NOTHING_REMOVED("JournalUpkeep.java", "schedulers.written() > snapshots && (",
            "schedulers.written() < snapshots && ("),
        STATE_FORGOTTEN("StateStart.java", "progress), snapshot.state());", "progress), null);"),
        ONE_GROUP_TOO_MANY("ReplayStart.java", "reader.records() < start.records()", "reader.records() <= start.records()"),
        TOLD_ONCE_FOR_EVER("JournalUpkeep.java", "                told.get(Work.SNAPSHOTS).clear();\n", ""),
        ENDED_BY_ITS_LISTENER("JournalUpkeep.java",
            "        catch (final Throwable e)\n        {\n            // A listener",
            "        catch (final IllegalArgumentException e)\n        {\n            // A listener"),
        SCHEDULER_NOT_FOLLOWED("JournalUpkeep.java", "follow(states::follow) & follow(schedulers::follow)",
            "follow(states::follow)"),
        NO_LAST_SNAPSHOT("JournalUpkeep.java", "                upkeep.schedulers.conclude();\n", ""),
        STATE_OF_THE_NEWEST("StateStart.java", ".oldestFirst()", ".newestFirst()"),
        DAMAGED_STATE_ENDS_IT("StateStart.java", "                passedOver.add(", "                throw e;\n//"),
        REPLAY_FROM_THE_NEWEST("ReplayStart.java", "SnapshotStart.oldest(directory, routers, progress)",
            "SnapshotStart.find(directory, Long.MAX_VALUE, routers, progress)"),
        ENDED_REQUESTS_LIVE("ReplayStart.java", "            live.remove(free.requestId());\n", "");

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
        return Arrays.stream(Plant.values())
            .filter(plant -> Strength.isFull() || plant.compareTo(Plant.ONE_GROUP_TOO_MANY) <= 0);
    }

    @ParameterizedTest
    @MethodSource("plants")
    void shouldFindThePlantedDefect(final Plant plant)
    {
        final MutatedClasses classes = MutatedClasses.of("journal/" + plant.file, plant.edits, directory);
        assertNotNull(classes.call(UpkeepRuns.class, "firstFailure", 0), "nothing finds " + plant);
    }

    /** Also those that only a full build plants. */
    @ParameterizedTest
    @EnumSource
    void shouldFitItsSource(final Plant plant)
    {
        assertFalse(MutatedClasses.changed("journal/" + plant.file, plant.edits).isEmpty());
    }

    @Test
    void shouldFindNothingWithoutAChange()
    {
        assertNull(MutatedClasses.unchanged(directory).call(UpkeepRuns.class, "firstFailure", 0));
    }
}
