// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Runs a small part of this check again, in a process of its own under compute-sanitizer, once per tool. */
final class SanitizerSection implements CheckSection
{
    private static final String PROGRAM = "compute-sanitizer";
    private static final List<String> TOOLS = List.of("memcheck", "racecheck");
    private static final List<String> PART = List.of(
        "--sections", "routers,capture-forms,steps", "--rounds", "1", "--checked-steps", "20", "--moe-layers", "2",
        "--batch", "8");
    private static final int ERROR_EXIT_CODE = 99;
    private static final long MAX_SECONDS = 90;

    private final String searchPath;

    /** @param searchPath directories in which the program is looked for, as in {@code PATH}. */
    SanitizerSection(final String searchPath)
    {
        this.searchPath = searchPath;
    }

    @Override
    public void run(final CheckDevice device, final CheckOptions options, final Findings findings)
    {
        final Path program = program();
        if (program == null)
        {
            findings.notRun("There is no " + PROGRAM + " on the PATH; the CUDA toolkit has it.");
            return;
        }
        for (final String tool : TOOLS)
        {
            try
            {
                run(program, tool, options, findings);
            }
            catch (final IOException e)
            {
                findings.failed(tool + " could not be started: " + e.getMessage() + ".");
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
                findings.failed(tool + " was interrupted.");
                return;
            }
        }
    }

    private Path program()
    {
        for (final String directory : searchPath.split(Pattern.quote(File.pathSeparator)))
        {
            final Path candidate = Path.of(directory, PROGRAM);
            if (Files.isRegularFile(candidate) && Files.isExecutable(candidate))
            {
                return candidate;
            }
        }
        return null;
    }

    private static void run(
        final Path program, final String tool, final CheckOptions options, final Findings findings)
        throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(program.toString(), "--tool", tool,
            "--error-exitcode", String.valueOf(ERROR_EXIT_CODE), "--target-processes", "all"));
        command.addAll(options.command());
        command.addAll(PART);
        command.addAll(List.of("--device", String.valueOf(options.device()), "--seed", String.valueOf(options.seed())));
        final Path output = Files.createTempFile("signalbox-" + tool + "-", ".txt");
        try
        {
            final long startNanos = System.nanoTime();
            final Process process =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
            final boolean ended = process.waitFor(MAX_SECONDS, TimeUnit.SECONDS);
            if (!ended)
            {
                process.destroyForcibly().waitFor();
            }
            findings.figure(tool, (System.nanoTime() - startNanos) / 1e9, "s");
            judge(tool, ended, process.exitValue(), summary(output), findings);
        }
        finally
        {
            Files.delete(output);
        }
    }

    private static void judge(
        final String tool, final boolean ended, final int exitCode, final String summary, final Findings findings)
    {
        if (!ended)
        {
            findings.failed(tool + " did not end within " + MAX_SECONDS + " s.");
        }
        else if (exitCode == 0)
        {
            findings.note(tool + " found nothing (" + summary + ").");
        }
        else
        {
            final String what = exitCode == ERROR_EXIT_CODE ? " found errors (" : " ended with " + exitCode + " (";
            findings.failed(tool + what + summary + ").");
        }
    }

    /** The tool's last line about itself, or else the last line of all. */
    private static String summary(final Path output) throws IOException
    {
        String summary = "it printed nothing";
        String last = summary;
        for (final String line : Files.readAllLines(output, StandardCharsets.UTF_8))
        {
            summary = line.contains("SUMMARY") ? line.strip() : summary;
            last = line.isBlank() ? last : line.strip();
        }
        return summary.contains("SUMMARY") ? summary : last;
    }
}
