// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A plug-in that ends the process does not end the command with its exit code. */
@Tag("threads")
class ForeignExitTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldNameTheClassThatEndsTheProcess() throws IOException, InterruptedException
    {
        final String remedy = "called System.exit before the command ended; report it to the author of the plug-in, or " +
            "leave the plug-in out.";
        final String atOnce = PluginJar.router(directory, "hasty", "", "System.exit(0); return null;").toString();
        final LaunchedCommand hasty = LaunchedCommand.in(
            directory, "simulate", "--plugins", atOnce, "--router", "hasty", "--conversations", "3");
        assertEquals(ExitCode.BAD_INPUT, hasty.exitCode());
        assertEquals("signalbox simulate: the class Bad$Provider " + remedy + "\n", hasty.err());
        assertEquals("", hasty.out());

        final String later = PluginJar.router(directory, "patient",
            "private static int made;", "if (++made > 1) Runtime.getRuntime().exit(0); return new Bad();").toString();
        final LaunchedCommand patient = LaunchedCommand.in(
            directory, "simulate", "--plugins", later, "--router", "patient", "--conversations", "3");
        assertEquals(ExitCode.BAD_INPUT, patient.exitCode());
        assertTrue(patient.err().contains("the class Bad$Provider " + remedy), patient.err());
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
