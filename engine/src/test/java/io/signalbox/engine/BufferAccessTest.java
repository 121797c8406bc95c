// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.BufferAccess;
import io.signalbox.ConfigException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A program that embeds the engine and omits the JVM flag gets a sentence, and no error of the JVM. */
@Tag("threads")
class BufferAccessTest
{
    @Test
    void shouldMissNothingHere()
    {
        assertEquals(List.of(), BufferAccess.missing());
    }

    @Test
    void shouldNameTheMissingFlag() throws IOException, InterruptedException
    {
        final String sentence = "this JVM was started without a flag that the engine needs: " +
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED; start it with this flag, or with all of the file " +
            "scripts/embedding.flags.";

        assertEquals(sentence, run("stepped"));
        assertEquals(sentence, run("threaded"));
    }

    private static String run(final String kind) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), EngineUser.class.getName(), kind)
            .redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        process.waitFor();
        return output;
    }

    /** A program that opens an engine. */
    static final class EngineUser
    {
        private EngineUser()
        {
        }

        public static void main(final String[] arguments)
        {
            try (Engine engine = open(arguments[0], new EngineConfig()))
            {
                System.out.println("open: " + engine);
            }
            catch (final ConfigException e)
            {
                System.out.println(e.getMessage());
            }
        }

        private static Engine open(final String kind, final EngineConfig context)
        {
            return kind.equals("stepped") ? new SteppedEngine(context) : new ThreadedEngine(context);
        }
    }
}
