// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.compare.Comparison;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.testkit.EngineHarness;
import net.jqwik.api.Property;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Compiles samples/router-experiment as a researcher does, runs its tests and its program, and holds its output. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RouterExperimentSampleTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Path SAMPLE = ROOT.resolve("samples/router-experiment");

    @TempDir
    private static Path directory;

    @BeforeAll
    static void compile() throws Exception
    {
        PluginJar.compile(directory, PluginJar.files(SAMPLE.resolve("src/main/java")), Comparison.class,
            SchedulerConfig.class);
    }

    @Test
    void shouldPassItsOwnTests() throws Exception
    {
        final long tests = SampleTests.run(directory, SAMPLE.resolve("src/test/java"), EngineHarness.class,
            SchedulerConfig.class, Property.class);
        assertTrue(tests >= 10, tests + " tests: those of the contract, one of the harness, one property");
    }

    /** Simulated time: the same on every machine. */
    @Test
    void shouldPrintTheTableOfTheGuide() throws Exception
    {
        final List<String> printed = SampleTests.printed(directory, "com.example.experiment.RouterExperiment");
        assertEquals(7, printed.size(), printed.toString());
        final String page = Files.readString(ROOT.resolve("docs/testing.md"));
        assertTrue(page.contains("```\n" + String.join("\n", printed) + "\n```\n"), () ->
            "docs/testing.md shows another table; it is now\n" + String.join("\n", printed));
    }

    @Test
    void shouldNameTheVersionOfThisBuildInItsPom() throws Exception
    {
        final String version = Files.readAllLines(ROOT.resolve("pom.xml")).stream()
            .filter(line -> line.contains("<version>")).findFirst().orElseThrow().strip();
        for (final String artifact : List.of("signalbox-backend-sim", "signalbox-testkit"))
        {
            assertTrue(Files.readString(SAMPLE.resolve("pom.xml"))
                .contains("<artifactId>" + artifact + "</artifactId>\n      " + version), artifact + " " + version);
        }
    }
}
