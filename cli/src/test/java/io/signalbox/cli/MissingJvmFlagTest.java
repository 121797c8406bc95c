// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The command line, started without the launcher and its flags. */
@Tag("threads")
class MissingJvmFlagTest
{
    @ParameterizedTest
    @ValueSource(strings = {"simulate --conversations 2 --no-journal", "compare --seeds 1 --workloads skewed"})
    void shouldNameTheMissingFlag(final String arguments) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(arguments.split(" ")));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(2, process.waitFor(), output);
        assertTrue(output.contains("this JVM was started without a flag that the engine needs: " +
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED; start it with this flag"), output);
    }
}
