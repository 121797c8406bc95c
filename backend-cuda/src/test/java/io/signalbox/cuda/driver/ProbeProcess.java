// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The probe in a process that was started for it, because a process has one driver library. */
public final class ProbeProcess
{
    /** The process asks so often, and prints a line for each answer. */
    static final int ANSWERS = 2;
    /** It runs for a moment. */
    private static final List<String> SHORT_LIVED = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private ProbeProcess()
    {
    }

    /** The first line of {@link #answers}. */
    static String answer(final Map<String, String> environment, final String... options)
        throws IOException, InterruptedException
    {
        return answers(environment, List.of(options)).lines().findFirst().orElse("");
    }

    /** The lines that it printed, of the form {@code READY [4096] 1 GPU, driver for CUDA 13.0.}. */
    static String answers(final Map<String, String> environment, final List<String> options)
        throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(SHORT_LIVED);
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            "-Djava.library.path=" + System.getProperty("java.library.path"), ProbeProcess.class.getName()));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        final Process process = builder.start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.strip();
    }

    public static void main(final String[] arguments)
    {
        for (int i = 0; i < ANSWERS; i++)
        {
            final CudaAvailability found = new CudaProbe().probe();
            System.out.println(found.state() + " " + found.devices().stream().map(CudaDevice::memoryBytes)
                .collect(Collectors.toList()) + " " + found.message());
        }
    }
}
