// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The budget of waits for loads, the committed kernels against it, and the script that counts them. */
@Tag("threads")
@DisabledOnOs(OS.WINDOWS)
class WaitsBudgetTest
{
    private static final Path SOURCES = Path.of("src/main/cuda");
    private static final Path SCRIPT = Path.of("../scripts/kernel-waits");
    private static final String SKIPPED = "kernel-waits: skipped";
    private static final Pattern LISTED = Pattern.compile("SIGNALBOX_KERNEL\\((\\w+)\\)");
    private static final Pattern LIMIT = Pattern.compile("0|1|0\\.\\d+");

    @TempDir
    private Path directory;

    private static List<String[]> lines() throws IOException
    {
        return Files.readAllLines(SOURCES.resolve("waits.budget")).stream().filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" ")).toList();
    }

    @Test
    void shouldNameOnlyKernelsThatExist() throws IOException
    {
        final List<String> kernels = LISTED.matcher(Files.readString(SOURCES.resolve("kernels.def"))).results()
            .map(result -> result.group(1)).toList();

        assertFalse(kernels.isEmpty());
        assertEquals(List.of(), lines().stream().map(line -> line[0])
            .filter(pattern -> kernels.stream().noneMatch(kernel -> kernel.matches(pattern))).toList());
        assertEquals(List.of(), lines().stream().filter(line -> line.length != 2 || !LIMIT.matcher(line[1]).matches())
            .map(line -> String.join(" ", line)).toList());
    }

    @Test
    void shouldKeepTheCommittedKernelsWithinTheBudget() throws InterruptedException
    {
        final Run run = run(null, "--check");

        assumeFalse(run.output.startsWith(SKIPPED), run.output.strip());
        assertEquals(0, run.exitCode, run.output);
    }

    @Test
    void shouldCountAWaitForEachUseThatComesBeforeTheNextLoad() throws IOException, InterruptedException
    {
        assertCounts(2, 2, "LDG.E R4, desc[UR4][R2.64]", "FADD R5, R4, R5", "LDG.E R6, desc[UR4][R2.64+0x4]",
            "FADD R5, R6, R5");
        assertCounts(2, 1, "LDG.E R4, desc[UR4][R2.64]", "LDG.E R6, desc[UR4][R2.64+0x4]", "FADD R5, R4, R5",
            "FADD R5, R6, R5");
        assertCounts(1, 1, "LDG.E.128 R4, desc[UR4][R2.64]", "FADD R9, R7, R9");
    }

    @Test
    void shouldCountAWaitForALoadWhoseRegisterIsWritten() throws IOException, InterruptedException
    {
        assertCounts(1, 1, "LDG.E R4, desc[UR4][R2.64]", "MOV R4, RZ");
        assertCounts(1, 0, "@P0 LDG.E R4, desc[UR4][R2.64]", "@!P0 MOV R4, RZ");
        assertCounts(1, 1, "@P0 LDG.E R4, desc[UR4][R2.64]", "ISETP.GE.AND P0, PT, R8, R9, PT", "@!P0 MOV R4, RZ");
    }

    @Test
    void shouldCountAWaitForCopiesThatHaveNotLanded() throws IOException, InterruptedException
    {
        final String copy = "LDGSTS.E.BYPASS.128 [R7], desc[UR4][R2.64]";
        assertCounts(1, 1, copy, "LDGDEPBAR", "DEPBAR.LE SB0, 0x0");
        assertCounts(1, 0, copy, "LDGDEPBAR", "DEPBAR.LE SB0, 0x3");
    }

    /** Otherwise a wrong path would pass the check of the budget. */
    @Test
    void shouldRefuseADisassemblerThatDoesNotExist() throws InterruptedException
    {
        final Path absent = directory.resolve("absent");
        final Run run = run(absent, "--check");

        assertEquals(2, run.exitCode, run.output);
        assertEquals("kernel-waits: CUOBJDUMP=" + absent + " is not a program; give the path of cuobjdump.",
            run.output.strip());
    }

    @Test
    void shouldRefuseAFileThatIsNotAnImage() throws IOException, InterruptedException
    {
        final Path tool = Files.writeString(directory.resolve("cuobjdump"), "#!/bin/sh\n");
        assertTrue(tool.toFile().setExecutable(true));
        final Path image = Files.writeString(directory.resolve("image"), "text");
        final Run run = run(tool, "--predict", "--image=" + image);

        assertEquals(2, run.exitCode, run.output);
        assertTrue(run.output.endsWith("image is not an image of the kernels: it does not name its sources.\n"), run.output);
    }

    /** Runs the script on a loop of these instructions, with limits below and at the waits per load. */
    private void assertCounts(final int loads, final int waits, final String... loop)
        throws IOException, InterruptedException
    {
        final List<String> instructions = new ArrayList<>(List.of("MOV R1, c[0x0][0x28]"));
        instructions.addAll(List.of(loop));
        instructions.addAll(List.of("@P1 BRA 0x10", "EXIT"));
        final StringBuilder code = new StringBuilder("\n\t\tFunction : decoder_norm\n");
        for (int i = 0; i < instructions.size(); i++)
        {
            code.append(String.format("        /*%04x*/  %s ;  /* 0x0 */%n", 16 * i, instructions.get(i)));
        }
        final Path text = Files.writeString(directory.resolve("code"), code);
        final Path tool = directory.resolve("cuobjdump");
        Files.writeString(tool, "#!/bin/sh\ncat " + text + "\n");
        assertTrue(tool.toFile().setExecutable(true));

        final Run shown = run(tool, "--loops");
        assertEquals(0, shown.exitCode, shown.output);
        final String[] words = shown.output.lines().reduce("", (first, second) -> second).split(" +");
        assertEquals(List.of("decoder_norm", "all", "" + loads, "" + waits), List.of(words).subList(0, 4), shown.output);

        final Path budget = Files.writeString(directory.resolve("budget"), "decoder_norm " + (double)waits / loads + "\n");
        assertEquals(0, run(tool, "--check", "--budget=" + budget).exitCode);
        Files.writeString(budget, "decoder_norm " + ((double)waits / loads - 0.01) + "\n");
        final Run over = run(tool, "--check", "--budget=" + budget);
        assertEquals(1, over.exitCode, over.output);
        assertTrue(over.output.startsWith("decoder_norm on sm_90: "), over.output);
    }

    /** @param tool disassembler; {@code null}: that of the environment, if there is one. */
    private static Run run(final Path tool, final String... arguments) throws InterruptedException
    {
        final List<String> line = new ArrayList<>(List.of("python3", SCRIPT.toString()));
        line.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        if (tool != null)
        {
            builder.environment().put("CUOBJDUMP", tool.toString());
        }
        try
        {
            final Process process = builder.start();
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Run(process.waitFor(), output);
        }
        catch (final IOException e)
        {
            assumeTrue(false, "python3 does not start, so waits for loads were not counted: " + e.getMessage());
            throw new IllegalStateException(e);
        }
    }

    private record Run(int exitCode, String output)
    {
    }
}
