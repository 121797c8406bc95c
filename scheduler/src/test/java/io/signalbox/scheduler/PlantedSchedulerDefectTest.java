// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The seeded runs find a defect that breaks a written contract; their tests show that they find nothing else. */
class PlantedSchedulerDefectTest
{
    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void shouldFindTheBrokenContract(final SchedulerPlant plant)
    {
        final String failure = MutatedClasses.of(plant.file, plant.edits, directory)
            .call(plant.runs.type, "firstFailure", plant.runs.most);
        assertNotNull(failure, () -> plant.runs.most + " runs miss: " + plant.contract);
    }

    @Test
    void shouldFindNothingInClassesThatAreLoadedAnewWithoutAChange()
    {
        assertNull(MutatedClasses.unchanged(directory).call(DepthRuns.class, "firstFailure", 20));
    }
}
