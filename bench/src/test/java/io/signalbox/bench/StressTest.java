// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs the classes {@code …Stress} under jcstress, in a separate process: the structures that two threads share. Reduced,
 * each for a moment in one kind of compilation, on any processors; full, in every kind and on every choice of processors,
 * five times a second or a part of it.
 */
@Tag("threads")
class StressTest
{
    /** Otherwise jcstress finds out how many it has by using all of them. */
    private static final String PROCESSORS = Integer.toString(Runtime.getRuntime().availableProcessors());

    @TempDir
    private Path results;

    @Test
    void shouldSeeNoForbiddenOutcome() throws IOException, InterruptedException
    {
        final boolean full = "full".equals(System.getProperty("signalbox.tests"));
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            "org.openjdk.jcstress.Main", "-t", "io.signalbox", "-r", results.toString(), "-f", "1", "-jvmArgs",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED -Xms64m -Xmx64m"));
        final int millis = Math.max(50, 1_000 / Integer.getInteger("signalbox.divisor", 1));
        command.addAll(full ? List.of("-iters", "5", "-time", Integer.toString(millis)) :
            List.of("-iters", "1", "-time", "50", "-sc", "false", "-af", "NONE", "-c", PROCESSORS));
        final Process process = new ProcessBuilder(command).directory(results.toFile()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        final String output = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor(), output);
        assertTrue(output.matches(
            "(?s).*\\bResults: ([1-9]\\d*) planned; \\1 passed, 0 failed, 0 soft errs, 0 hard errs.*"), output);
    }
}
