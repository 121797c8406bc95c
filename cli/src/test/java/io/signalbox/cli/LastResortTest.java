// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A process that does not end by itself. */
@Tag("threads")
@DisabledOnOs(OS.WINDOWS)
class LastResortTest
{
    private static final int KILLED = 137;

    @Test
    @Timeout(600)
    void shouldKillTheProcessAndItsChildren() throws Exception
    {
        final Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Endless.class.getName()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (BufferedReader output =
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)))
        {
            final long child = Long.parseLong(output.readLine());

            assertEquals(KILLED, process.waitFor());
            ProcessHandle.of(child).ifPresent(left -> left.onExit().join());
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    /** Prints the number of its child, arms the last resort, and stays. */
    public static final class Endless
    {
        private Endless()
        {
        }

        public static void main(final String[] arguments) throws IOException, InterruptedException
        {
            System.out.println(new ProcessBuilder("sleep", "3600").start().pid());
            LastResort.arm();
            new CountDownLatch(1).await();
        }
    }
}
