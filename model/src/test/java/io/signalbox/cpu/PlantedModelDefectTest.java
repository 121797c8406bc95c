// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.model.forward.ModelRuns;
import io.signalbox.scheduler.MutatedClasses;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The properties of models and of the CPU backend find a defect that breaks a written contract, and nothing else. */
@Timeout(600)
class PlantedModelDefectTest
{
    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void shouldFindTheBrokenContract(final ModelPlant plant)
    {
        final String failure = failure(MutatedClasses.of(plant.file, plant.edits, directory), plant.foundBy);
        assertNotNull(failure, () -> plant.foundBy + " do not find: " + plant.contract);
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindNothingInClassesThatAreLoadedAnewWithoutAChange(final ModelPlant.Property property)
    {
        assertNull(failure(MutatedClasses.unchanged(directory), property));
    }

    private static String failure(final MutatedClasses classes, final ModelPlant.Property property)
    {
        final Class<?> runs = property == ModelPlant.Property.ENGINES ? CpuRuns.class : ModelRuns.class;
        return classes.call(runs, property.method, property.runs);
    }
}
