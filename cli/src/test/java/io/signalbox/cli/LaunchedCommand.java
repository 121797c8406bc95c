// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One command run in another process, with what it printed. */
record LaunchedCommand(int exitCode, String out, String err)
{
    /** @param directory the working directory. */
    static LaunchedCommand in(final Path directory, final String... arguments) throws IOException, InterruptedException
    {
        final List<String> line = new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-Dchronicle")).forEach(line::add);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        line.addAll(List.of(arguments));
        final Path out = Files.createTempFile("signalbox", ".out");
        final Path err = Files.createTempFile("signalbox", ".err");
        final int exitCode = new ProcessBuilder(line).directory(directory.toFile())
            .redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
        final LaunchedCommand ended = new LaunchedCommand(exitCode, Files.readString(out), Files.readString(err));
        Files.delete(out);
        Files.delete(err);
        return ended;
    }
}
