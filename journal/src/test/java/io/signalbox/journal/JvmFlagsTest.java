// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A library user who omits the JVM flags gets a sentence. */
@Tag("threads")
final class JvmFlagsTest
{
    @TempDir
    Path temporary;

    @Test
    void shouldMissNothingHere()
    {
        assertEquals(List.of(), JvmFlags.missing());
    }

    @Test
    void shouldNameTheMissingFlags() throws IOException, InterruptedException
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 3, Runs.options(Durability.PROCESS));
        final Path absent = temporary.resolve("absent");
        final String all = String.join(" ", flags("embedding.flags"));

        for (final String missing : List.of(
            run("create", absent.toString()), run("recover", journal.toString())))
        {
            assertTrue(missing.startsWith("JVM_FLAGS this JVM was started without flags that a journal needs: " + all + ";"),
                missing);
        }
        assertTrue(run("read", journal.toString())
            .startsWith("JVM_FLAGS this JVM was started without flags that a journal needs: --add-opens=java.base/jdk."));
        assertFalse(Files.exists(absent));
    }

    /** The launcher starts the command line with the flags of embedders and more. */
    @Test
    void shouldNeedNothingThatTheCommandLineOmits() throws IOException
    {
        assertTrue(flags("jvm.flags").containsAll(flags("embedding.flags")), "scripts/jvm.flags lacks a flag");
    }

    private static List<String> flags(final String file) throws IOException
    {
        final Path scripts = Path.of(System.getProperty("signalbox.root"), "scripts");
        return Files.readAllLines(scripts.resolve(file)).stream().filter(line -> !line.startsWith("#")).toList();
    }

    private static String run(final String... arguments) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(JavaProcess.command(List.of(), LibraryUser.class, arguments))
            .redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        process.waitFor();
        return output;
    }
}
