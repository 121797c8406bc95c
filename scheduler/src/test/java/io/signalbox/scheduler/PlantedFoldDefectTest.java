// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertNotNull;

/** The seeded runs find every planted defect of the fold; {@link DepthRunsTest} shows that they find nothing else. */
class PlantedFoldDefectTest
{
    private static final int RUNS = TestStrength.count(500, 2_000);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void shouldFindThePlantedDefect(final FoldPlant plant)
    {
        final String failure = MutatedClasses.of(plant.file, plant.edits, directory)
            .call(DepthRuns.class, "firstFailure", RUNS);
        assertNotNull(failure, () -> RUNS + " runs do not find " + plant);
    }
}
