// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.Tries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import java.io.IOException;
import java.nio.file.Path;

/** Damaged input files: traces, router configurations, checkpoints. */
class FileFuzzTest
{
    private static FuzzRun run;
    private static Path models;

    @BeforeContainer
    static void open() throws IOException
    {
        run = FuzzRun.open();
        models = ModelFiles.write(run.directory("models"));
    }

    @AfterContainer
    static void close() throws IOException
    {
        run.close();
    }

    @Property(seed = "1")
    @Tries(reduced = 40, full = 12_000)
    void shouldReadATraceAsItIsOrRefuseIt(@ForAll("traces") final FuzzCase made) throws IOException
    {
        run.fuzzer("traces").check(made);
    }

    @Property(seed = "1")
    @Tries(reduced = 20, full = 6_000)
    void shouldReadARouterFileOrRefuseIt(@ForAll("routers") final FuzzCase made) throws IOException
    {
        run.fuzzer("routers").check(made);
    }

    @Property(seed = "1")
    @Tries(reduced = 30, full = 9_000)
    void shouldRunACheckpointOrRefuseIt(@ForAll("checkpoints") final FuzzCase made) throws IOException
    {
        run.fuzzer("checkpoints").check(made);
    }

    @Provide
    Arbitrary<FuzzCase> traces()
    {
        return new TraceCases().cases();
    }

    @Provide
    Arbitrary<FuzzCase> routers()
    {
        return new RouterFileCases().cases();
    }

    @Provide
    Arbitrary<FuzzCase> checkpoints()
    {
        return new ModelFileCases(models).cases();
    }
}
