// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A hash does not depend on how the JVM compiled it, whichever collector it runs with. */
@Tag("threads")
class Xxh3CompilationTest
{
    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1"})
    void shouldGiveTheHashesOfTheInterpreterHoweverCompiled(final String flag) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), flag,
            "-cp", System.getProperty("java.class.path"), Xxh3Process.class.getName()).redirectErrorStream(true).start();

        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, process.waitFor(), output);
    }
}
