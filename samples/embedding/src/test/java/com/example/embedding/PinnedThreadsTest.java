// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Each thread of the engine may run on its core only. */
class PinnedThreadsTest
{
    @Test
    void shouldPinTheThreadsOfTheEngine() throws Exception
    {
        final String core = Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("Cpus_allowed_list:")).findFirst().orElseThrow()
            .replaceFirst("\\D*(\\d+).*", "$1");
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        final PrintStream out = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try
        {
            PinnedThreads.main(new String[] {core, core, core, core});
        }
        finally
        {
            System.setOut(out);
        }
        final List<String> expected = Stream.of("SCHEDULER", "JOURNAL", "DISPATCH", "LISTENER")
            .map(thread -> thread + " may run on {" + core + "}").toList();
        assertEquals(expected, printed.toString(StandardCharsets.UTF_8).lines().toList());
    }
}
