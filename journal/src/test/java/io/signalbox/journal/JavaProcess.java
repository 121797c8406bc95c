// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A second JVM with the flags and the class path of this one. */
final class JavaProcess
{
    private JavaProcess()
    {
    }

    /** Its standard error is discarded. */
    static Process start(final Class<?> main, final String... arguments) throws IOException
    {
        return new ProcessBuilder(command(flags(), main, arguments))
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    static List<String> flags()
    {
        return Arrays.asList(System.getProperty("signalbox.jvm.flags").trim().split("\\s+"));
    }

    static List<String> command(final List<String> flags, final Class<?> main, final String... arguments)
    {
        return command(flags, System.getProperty("java.class.path"), main, arguments);
    }

    static List<String> command(
        final List<String> flags, final String classPath, final Class<?> main, final String... arguments)
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
