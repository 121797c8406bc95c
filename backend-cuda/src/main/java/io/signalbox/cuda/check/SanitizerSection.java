// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import static java.util.regex.Pattern.CASE_INSENSITIVE;

/** Runs small parts of this check again under compute-sanitizer, a process with its own limit per tool and part. */
final class SanitizerSection implements CheckSection
{
    private static final String PROGRAM = "compute-sanitizer";
    private static final List<String> TOOLS = List.of("memcheck", "racecheck", "synccheck");
    /** Parts of the check by the end of a tool's name in findings. */
    private static final Map<String, List<String>> PARTS = new TreeMap<>(Map.of(
        "", List.of("--sections", "routers,capture-forms,steps", "--rounds", "1", "--checked-steps", "20",
            "--moe-layers", "2", "--batch", "8"),
        // Decoder, tensor, attention and sampler kernels.
        " of models", List.of("--sections", "model", "--bits-only")));
    private static final Path TOOLKITS = Path.of("/usr/local");
    private static final Pattern NOT_SUPPORTED =
        Pattern.compile("device not supported|not supported on this", CASE_INSENSITIVE);
    private static final Pattern EXCLUSIVE = Pattern.compile("CUDA_ERROR_DEVICE_UNAVAILABLE");
    private static final int ERROR_EXIT_CODE = 99;

    private final List<Path> directories;

    /** @param directories in which the program is looked for. */
    SanitizerSection(final List<Path> directories)
    {
        this.directories = List.copyOf(directories);
    }

    /** The most that the tools may take together. */
    static int mostSeconds(final CheckConfig options)
    {
        return TOOLS.size() * PARTS.size() * options.limits().sanitizerSeconds();
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final Path program = program();
        if (program == null)
        {
            findings.notRun("There is no " + PROGRAM + " on the PATH, under CUDA_HOME, or in " + TOOLKITS +
                "/cuda*; the CUDA toolkit has it.");
            return;
        }
        for (final String tool : TOOLS)
        {
            try
            {
                runParts(program, tool, options, findings);
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

    /** Up to the first that the tool refuses. */
    private static void runParts(
        final Path program, final String tool, final CheckConfig options, final Findings findings)
        throws IOException, InterruptedException
    {
        for (final Map.Entry<String, List<String>> part : PARTS.entrySet())
        {
            if (!run(command(program, tool, part.getValue(), options), tool + part.getKey(), options, findings))
            {
                return;
            }
        }
    }

    private static List<String> command(
        final Path program, final String tool, final List<String> part, final CheckConfig options)
    {
        final List<String> command = new ArrayList<>(List.of(program.toString(), "--tool", tool,
            "--error-exitcode", String.valueOf(ERROR_EXIT_CODE), "--target-processes", "all"));
        command.addAll(options.command());
        command.addAll(part);
        command.addAll(List.of("--device", String.valueOf(options.device()), "--seed", String.valueOf(options.seed()),
            // A tool makes kernels slower many times over: its own limit is the one that counts.
            "--section-limit", String.valueOf(options.limits().sanitizerSeconds())));
        return command;
    }

    private Path program()
    {
        for (final Path directory : directories)
        {
            final Path candidate = directory.resolve(PROGRAM);
            if (Files.isRegularFile(candidate) && Files.isExecutable(candidate))
            {
                return candidate;
            }
        }
        return null;
    }

    /**
     * Candidates for the tool: in the directories of a search path, and in those of toolkits.
     *
     * @param environment of the process, for {@code PATH}, {@code CUDA_HOME} and {@code CUDA_PATH}.
     */
    static List<Path> directories(final Map<String, String> environment)
    {
        final List<Path> found = new ArrayList<>();
        for (final String directory : environment.getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator)))
        {
            found.add(Path.of(directory));
        }
        for (final String home : List.of("CUDA_HOME", "CUDA_PATH"))
        {
            addToolkit(found, environment.get(home));
        }
        addToolkit(found, "/usr/local/cuda");
        addToolkit(found, "/opt/cuda");
        // The newest first, if there is no link to one.
        final String[] versions = TOOLKITS.toFile().list((parent, name) -> name.startsWith("cuda-"));
        Arrays.stream(versions == null ? new String[0] : versions).sorted(Comparator.reverseOrder())
            .forEach(version -> addToolkit(found, TOOLKITS.resolve(version).toString()));
        return found;
    }

    private static void addToolkit(final List<Path> found, final String home)
    {
        if (home != null)
        {
            found.add(Path.of(home, "bin"));
            found.add(Path.of(home, "compute-sanitizer"));
            found.add(Path.of(home, "extras", "compute-sanitizer"));
        }
    }

    /** Whether the tool supports the device and gets it. */
    private static boolean run(
        final List<String> command, final String tool, final CheckConfig options, final Findings findings)
        throws IOException, InterruptedException
    {
        final Path output = Files.createTempFile("signalbox-sanitizer-", ".txt");
        try
        {
            final int seconds = options.limits().sanitizerSeconds();
            final long startNanos = System.nanoTime();
            final Process process =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
            final boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
            if (!ended)
            {
                // The check beneath the tool too, which would keep the device.
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            findings.figure(tool, (System.nanoTime() - startNanos) / 1e9, "s");
            final String refusal = refusal(tool, output);
            if (refusal != null)
            {
                findings.notRun(refusal);
            }
            else if (ended)
            {
                judge(tool, process.exitValue(), summary(output), findings);
            }
            else
            {
                findings.failed(tool + " did not end within " + seconds + " s, the limit of --sanitizer-limit.");
            }
            return refusal == null;
        }
        finally
        {
            Files.delete(output);
        }
    }

    /** Why the tool cannot check this device, one sentence, or null. */
    private static String refusal(final String tool, final Path output) throws IOException
    {
        final String refusal = line(output, NOT_SUPPORTED);
        if (refusal != null)
        {
            return tool + " does not support this device (" + refusal + ").";
        }
        return line(output, EXCLUSIVE) == null ? null :
            tool + " needs the device beside this process, and it is in exclusive mode.";
    }

    private static void judge(
        final String tool, final int exitCode, final String summary, final Findings findings)
    {
        if (exitCode == 0)
        {
            findings.note(tool + " found nothing (" + summary + ").");
        }
        else
        {
            final String what = exitCode == ERROR_EXIT_CODE ? " found errors (" : " ended with " + exitCode + " (";
            findings.failed(tool + what + summary + ").");
        }
    }

    /** The first line with what is looked for; null if there is none. */
    private static String line(final Path output, final Pattern wanted) throws IOException
    {
        return Files.readAllLines(output, StandardCharsets.UTF_8).stream()
            .filter(line -> wanted.matcher(line).find()).map(String::strip).findFirst().orElse(null);
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
