// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.model.forward.ModelRuns;
import io.signalbox.scheduler.MutatedClasses;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/**
 * The properties of models and of the CPU backend find every planted defect, and nothing in the classes as they are. Each
 * build plants one defect per source file and property, {@code -Pfull} all of them.
 */
@Timeout(600)
class PlantedModelDefectTest
{
    @TempDir
    private Path directory;

    private static List<ModelPlant> plants()
    {
        final boolean full = "full".equals(System.getProperty("signalbox.tests"));
        final Set<List<?>> places = new HashSet<>();
        return Arrays.stream(ModelPlant.values())
            .filter(plant -> places.add(List.of(plant.file, plant.foundBy)) || full).toList();
    }

    @ParameterizedTest
    @MethodSource("plants")
    void shouldFindThePlantedDefect(final ModelPlant plant)
    {
        final String failure = failure(MutatedClasses.of(plant.file, plant.edits, directory), plant.foundBy);
        assertNotNull(failure, () -> plant.foundBy + " do not find " + plant);
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
