// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks the walls, and for each wall that a sample breaks it. */
class WallsTest
{
    /** Each room must have classes: a rule over an empty room would hold whatever happens. */
    private static final List<String> ROOMS = List.of(
        "kv", "experts", "router", "batch", "scheduler", "event", "engine", "backend", "journal", "sim", "workload",
        "report", "cost", "inspect", "diff", "recompute", "compare", "sweep", "whatif", "calibrate", "printing", "server",
        "config", "plugin", "files", "cuda", "cpu", "model", "serving", "cli", "export", "stats",
        "state", "image", "saved", "metrics", "testkit");

    private static JavaClasses production;
    private static JavaClasses samples;

    @BeforeAll
    static void importClasses()
    {
        production = HouseClasses.PRODUCTION;
        samples = new ClassFileImporter().importPackages("io.signalbox.house.sample");
    }

    @Test
    void shouldSeeEveryRoomOfTheHouse()
    {
        final TreeSet<String> rooms = new TreeSet<>();
        production.forEach(type -> rooms.add(type.getPackageName().replaceFirst("^io\\.signalbox\\.?([a-z]*).*$", "$1")));

        rooms.remove("");
        assertEquals(new TreeSet<>(ROOMS), rooms);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("walls")
    void shouldHoldInTheWholeHouse(final String name)
    {
        wall(name).check(production);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("walls")
    void shouldFallWhereASampleBreaksIt(final String name)
    {
        assertTrue(wall(name).evaluate(samples).hasViolation(), "no sample breaks the rule: " + name);
    }

    @Test
    void shouldCatchEverySample()
    {
        final StringBuilder caught = new StringBuilder();
        allWalls().values().forEach(rule -> caught.append(rule.evaluate(samples).getFailureReport()));

        final List<String> missed = samples.stream()
            .filter(type -> !type.isInterface() && type.getSimpleName().startsWith("Bad"))
            .map(type -> type.getName())
            .filter(type -> caught.indexOf(type) < 0)
            .toList();
        assertEquals(List.of(), missed);
    }

    private static Stream<String> walls()
    {
        return allWalls().keySet().stream();
    }

    private static ArchRule wall(final String name)
    {
        return allWalls().get(name);
    }

    private static Map<String, ArchRule> allWalls()
    {
        final Map<String, ArchRule> walls = new TreeMap<>(Walls.all());
        walls.putAll(CoreWalls.all());
        return walls;
    }
}
