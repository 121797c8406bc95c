// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs the program that samples/router-experiment makes in its build, and holds its output. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RouterExperimentSampleIT
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final SampleBuild BUILD = new SampleBuild("router-experiment");

    @Test
    void shouldPassItsOwnTests() throws Exception
    {
        assertTrue(BUILD.tests() >= 10, BUILD.tests() + " tests: those of the contract, one of the harness, one property");
    }

    /** Simulated time: the same on every machine. */
    @Test
    void shouldPrintTheTableOfTheGuide() throws Exception
    {
        final List<String> printed = BUILD.printed("com.example.experiment.RouterExperiment");
        assertEquals(7, printed.size(), printed.toString());
        final String page = Files.readString(ROOT.resolve("docs/testing.md"));
        assertTrue(page.contains("```\n" + String.join("\n", printed) + "\n```\n"), () ->
            "docs/testing.md shows another table; it is now\n" + String.join("\n", printed));
    }
}
