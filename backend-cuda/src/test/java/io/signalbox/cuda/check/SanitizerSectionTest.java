// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The tool is played by scripts. */
@DisabledOnOs(OS.WINDOWS)
class SanitizerSectionTest
{
    /** Long enough for a script to begin, on a machine that does other work. */
    private static final int SHORT_SECONDS = 2;
    private static final int LONG_SECONDS = 60;

    @TempDir
    private Path directory;

    @Test
    void shouldSayWhereTheToolIsMissing()
    {
        final SectionResult result = run();

        assertEquals(CheckVerdict.NOT_RUN, result.verdict());
        assertTrue(result.note().contains("no compute-sanitizer on the PATH"), result.note());
    }

    @Test
    void shouldPassWhereNoToolFindsAnythingInAnyPart() throws IOException
    {
        play("echo \"$@\" >> " + directory.resolve("arguments") + "; echo '========= ERROR SUMMARY: 0 errors'");
        final SectionResult result = run();

        assertEquals(CheckVerdict.PASSED, result.verdict(), result.note());
        assertTrue(result.note().contains("memcheck found nothing (========= ERROR SUMMARY: 0 errors)"), result.note());
        assertTrue(result.note().contains("racecheck found nothing"), result.note());
        assertTrue(result.note().contains("synccheck of models found nothing"), result.note());
        assertEquals(List.of("memcheck", "memcheck of models", "racecheck", "racecheck of models", "synccheck",
            "synccheck of models"), result.figures().stream().map(CheckFigure::name).toList());
        final List<String> processes = Files.readAllLines(directory.resolve("arguments"));
        assertEquals(6, processes.size());
        for (int process = 0; process < processes.size(); process++)
        {
            final String arguments = processes.get(process);
            assertTrue(arguments.contains("--error-exitcode 99") && arguments.contains("own-java gpu --sections " +
                (process % 2 == 0 ? "routers,capture-forms,steps" : "model --bits-only")) &&
                arguments.contains("--device 0 --seed 9 --section-limit 60"), arguments);
        }
    }

    @Test
    void shouldFailWhereTheToolFindsAnError() throws IOException
    {
        play("echo '========= ERROR SUMMARY: 3 errors'; exit 99");
        final SectionResult result = run();

        assertEquals(CheckVerdict.FAILED, result.verdict());
        assertTrue(result.note().contains("memcheck found errors (========= ERROR SUMMARY: 3 errors)"), result.note());
    }

    @Test
    void shouldFailWhereTheCheckBeneathTheToolFails() throws IOException
    {
        play("echo 'signalbox gpu: no luck.'; exit 2");
        final SectionResult result = run();

        assertEquals(CheckVerdict.FAILED, result.verdict());
        assertTrue(result.note().contains("memcheck ended with 2 (signalbox gpu: no luck.)"), result.note());
    }

    @Test
    void shouldNotRunWhereTheToolDoesNotSupportTheDevice() throws IOException
    {
        play("echo '========= Error: Device not supported. Please refer to the documentation.'; exit 99");
        final SectionResult result = run();

        assertEquals(CheckVerdict.NOT_RUN, result.verdict(), result.note());
        assertTrue(result.note().contains("memcheck does not support this device"), result.note());
        assertEquals(3, result.figures().size(), "each tool once");
    }

    /** This process has the device, so that no other one may. */
    @Test
    void shouldNotRunWhereTheDeviceIsInExclusiveMode() throws IOException
    {
        play("echo 'device failed 0.0 s cuDevicePrimaryCtxRetain answered CUDA_ERROR_DEVICE_UNAVAILABLE (46)'; exit 1");
        final SectionResult result = run();

        assertEquals(CheckVerdict.NOT_RUN, result.verdict(), result.note());
        assertTrue(result.note().contains("memcheck needs the device beside this process, and it is in exclusive mode."),
            result.note());
        assertFalse(result.note().contains("nvidia-smi"), result.note());
    }

    /** The check beneath a tool would keep the device from the next process. */
    @Test
    @Timeout(180)
    void shouldEndATimedOutToolTogetherWithItsChildren() throws IOException
    {
        final Path children = directory.resolve("children");
        // The first of the six processes.
        play("if [ -e " + children + " ]; then echo '========= ERROR SUMMARY: 0 errors'; exit; fi; " +
            "sleep 3600 & echo $! > " + children + "; wait");
        final SectionResult result = run(SHORT_SECONDS);

        assertEquals(CheckVerdict.FAILED, result.verdict(), result.note());
        assertTrue(result.note().contains("memcheck did not end within 2 s, the limit of --sanitizer-limit"), result.note());
        for (final String child : Files.readAllLines(children))
        {
            ProcessHandle.of(Long.parseLong(child)).ifPresent(process -> process.onExit().join());
        }
    }

    @Test
    void shouldLookInTheDirectoriesOfToolkitsToo()
    {
        final List<Path> found = SanitizerSection.directories(Map.of("PATH", "/a:/b", "CUDA_HOME", "/toolkit"));

        assertEquals(List.of(Path.of("/a"), Path.of("/b"), Path.of("/toolkit/bin"), Path.of("/toolkit/compute-sanitizer")),
            found.subList(0, 4));
        assertTrue(found.contains(Path.of("/usr/local/cuda/bin")), found.toString());
    }

    private void play(final String script) throws IOException
    {
        final Path tool = directory.resolve("compute-sanitizer");
        Files.writeString(tool, "#!/bin/sh\n" + script + "\n");
        assertTrue(tool.toFile().setExecutable(true));
    }

    private SectionResult run()
    {
        return run(LONG_SECONDS);
    }

    private SectionResult run(final int toolSeconds)
    {
        final CheckConfig options = SmallCheck.of(new ModelShape(2, 16, 4), Set.of(GpuSection.SANITIZER),
            List.of("own-java", "gpu")).withSeed(9).withLimits(new CheckLimits(60, toolSeconds));
        final Findings findings = new Findings();
        new SanitizerSection(List.of(directory)).run(null, options, findings);
        return findings.result(GpuSection.SANITIZER, 0.0);
    }
}
