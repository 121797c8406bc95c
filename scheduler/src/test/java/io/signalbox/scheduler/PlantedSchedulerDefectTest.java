// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The seeded runs find every planted defect; {@link DepthRunsTest} shows that they find nothing else. */
class PlantedSchedulerDefectTest
{
    private static final int RUNS = TestStrength.count(500, 2_000);

    @TempDir
    private Path directory;

    static Stream<SchedulerPlant> plants()
    {
        return Arrays.stream(SchedulerPlant.values())
            .filter(plant -> TestStrength.isFull() || plant.compareTo(SchedulerPlant.LAST_OF_EVERY_BUILD) <= 0);
    }

    @ParameterizedTest
    @MethodSource("plants")
    void shouldFindThePlantedDefect(final SchedulerPlant plant)
    {
        final String failure = MutatedClasses.of(plant.file, plant.edits, directory)
            .call(DepthRuns.class, "firstFailure", RUNS);
        assertNotNull(failure, () -> RUNS + " runs do not find " + plant);
        assertTrue(failure.startsWith("-Dsignalbox.depth.seed="), failure);
    }

    /** Also those that only a full build plants. */
    @ParameterizedTest
    @EnumSource
    void shouldFitItsSource(final SchedulerPlant plant)
    {
        assertFalse(MutatedClasses.changed(plant.file, plant.edits).isEmpty());
    }

    @Test
    void shouldFindNothingInClassesThatAreLoadedAnewWithoutAChange()
    {
        assertNull(MutatedClasses.unchanged(directory).call(DepthRuns.class, "firstFailure", 20));
    }
}
