// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Output of a program that embeds only the journal: no SLF4J provider, and the JVM flags of embedders alone. */
@Tag("threads")
final class ChronicleLoggingTest
{
    private static final int FIRST_JAVA_THAT_WARNS = 24;
    private static final Path SCRIPTS = Path.of(System.getProperty("signalbox.root"), "scripts");

    @TempDir
    Path temporary;

    @Test
    void shouldBringNoProvider()
    {
        assertThrows(ClassNotFoundException.class, () -> Class.forName("org.slf4j.simple.SimpleServiceProvider"));
    }

    @Test
    void shouldPrintNothingWithoutAProvider() throws IOException, InterruptedException
    {
        final Path journal = temporary.resolve("journal");

        assertEquals("done", run(List.of(), "create", journal));
        assertEquals("done", run(List.of(), "read", journal));
        assertEquals("done", run(List.of(), "recover", journal));
    }

    @Test
    void shouldNotHideAProviderThatDoesNotLoad() throws IOException, InterruptedException
    {
        final Path services = Files.createDirectories(temporary.resolve("broken/META-INF/services"));
        Files.writeString(services.resolve("org.slf4j.spi.SLF4JServiceProvider"), "absent.Provider\n");

        final String output =
            run(List.of("-Xbootclasspath/a:" + temporary.resolve("broken")), "create", temporary.resolve("journal"));
        assertTrue(output.contains("SLF4J") && output.contains("absent.Provider"), output);
        assertTrue(output.endsWith("done"), output);
    }

    @Test
    void shouldNotHideTheNoticeOfAProgramThatAsksForIt() throws IOException, InterruptedException
    {
        final String output =
            run(List.of("-Dslf4j.internal.verbosity=WARN"), "create", temporary.resolve("journal"));
        assertTrue(output.contains("No SLF4J providers were found"), output);
    }

    private static String run(final List<String> more, final String operation, final Path journal)
        throws IOException, InterruptedException
    {
        final List<String> flags = new ArrayList<>(List.of("@" + SCRIPTS.resolve("embedding.flags")));
        if (Runtime.version().feature() >= FIRST_JAVA_THAT_WARNS)
        {
            flags.add("@" + SCRIPTS.resolve("jvm-24.flags"));
        }
        flags.addAll(more);
        final Process process = new ProcessBuilder(
            JavaProcess.command(flags, LibraryUser.class, operation, journal.toString())).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        process.waitFor();
        return output;
    }
}
