// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Spoilt input files: 200 traces, 100 router files and 150 checkpoints reduced; 12,000, 6,000 and 9,000 full. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class FileFuzzTest
{
    private static FuzzRun run;

    @BeforeAll
    static void open() throws IOException
    {
        run = FuzzRun.open();
    }

    @AfterAll
    static void close() throws IOException
    {
        run.close();
    }

    @Test
    void shouldReadATraceAsItIsOrRefuseIt() throws IOException
    {
        final Fuzzer fuzzer = run.fuzzer().run("FileFuzzTest#shouldReadATraceAsItIsOrRefuseIt", new TraceCases(),
            FuzzRun.firstSeed(), FuzzRun.count(200, 12_000));

        assertEquals(List.of(), fuzzer.findings(), fuzzer::report);
    }

    @Test
    void shouldReadARouterFileOrRefuseIt() throws IOException
    {
        final Fuzzer fuzzer = run.fuzzer().run("FileFuzzTest#shouldReadARouterFileOrRefuseIt",
            new RouterFileCases(), FuzzRun.firstSeed(), FuzzRun.count(100, 6_000));

        assertEquals(List.of(), fuzzer.findings(), fuzzer::report);
    }

    @Test
    void shouldRunACheckpointOrRefuseIt() throws IOException
    {
        final Path models = ModelFiles.write(run.directory("models"));
        final Fuzzer fuzzer = run.fuzzer().run("FileFuzzTest#shouldRunACheckpointOrRefuseIt",
            new ModelFileCases(models), FuzzRun.firstSeed(), FuzzRun.count(150, 9_000));

        assertEquals(List.of(), fuzzer.findings(), fuzzer::report);
    }
}
