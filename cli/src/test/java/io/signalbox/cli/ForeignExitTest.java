// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.printing.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A plug-in that ends the process does not end the command with its exit code. */
class ForeignExitTest
{
    @TempDir
    private Path directory;

    private int exitCode(final String... arguments) throws IOException, InterruptedException
    {
        final List<String> line = new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-Dchronicle")).forEach(line::add);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        line.addAll(List.of(arguments));
        final Process process = new ProcessBuilder(line).directory(directory.toFile())
            .redirectOutput(directory.resolve("out").toFile()).redirectError(directory.resolve("err").toFile()).start();
        return process.waitFor();
    }

    @Test
    void shouldNameTheClassThatEndsTheProcess() throws IOException, InterruptedException
    {
        final String remedy = "called System.exit before the command ended; report it to the author of the plug-in, or " +
            "leave the plug-in out.";
        final String atOnce = PluginJar.router(directory, "hasty", "", "System.exit(0); return null;").toString();
        assertEquals(ExitCode.BAD_INPUT, exitCode("simulate", "--plugins", atOnce, "--conversations", "3"));
        assertEquals("signalbox simulate: the class Bad$Provider " + remedy + "\n",
            Files.readString(directory.resolve("err")));
        assertEquals("", Files.readString(directory.resolve("out")));

        final String later = PluginJar.router(directory, "patient",
            "private static int made;", "if (++made > 1) Runtime.getRuntime().exit(0); return new Bad();").toString();
        assertEquals(ExitCode.BAD_INPUT,
            exitCode("simulate", "--plugins", later, "--router", "patient", "--conversations", "3"));
        assertTrue(Files.readString(directory.resolve("err"), StandardCharsets.UTF_8).contains(
            "the class Bad$Provider " + remedy));
    }

    @Test
    void shouldLeaveAnEndByTheProgramOrASignalAlone()
    {
        assertNull(culprit("java.lang.Shutdown.exit", "java.lang.Runtime.exit", "java.lang.System.exit",
            "io.signalbox.cli.Main.end"));
        assertNull(culprit("java.lang.Shutdown.exit", "java.lang.Terminator$1.handle", "jdk.internal.misc.Signal$1.run"));
        assertNull(culprit("java.lang.Object.wait", "some.Plugin.exit"));
        assertEquals("some.Plugin", culprit("java.lang.Shutdown.exit", "java.lang.Runtime.exit", "java.lang.System.exit",
            "some.Plugin.score"));
        assertEquals("some.Plugin", culprit("java.lang.Shutdown.exit", "java.lang.Runtime.exit", "some.Plugin.score"));
    }

    private static String culprit(final String... frames)
    {
        final StackTraceElement[] stack = new StackTraceElement[frames.length];
        for (int i = 0; i < frames.length; i++)
        {
            final int end = frames[i].lastIndexOf('.');
            stack[i] = new StackTraceElement(frames[i].substring(0, end), frames[i].substring(end + 1), null, -1);
        }
        return ForeignExit.culprit(Map.of(new Thread("some"), stack));
    }
}
