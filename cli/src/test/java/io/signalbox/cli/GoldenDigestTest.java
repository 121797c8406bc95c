// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The journals of two fixed runs, down to the last byte. A changed digest means a changed decision or a changed format:
 * old journals may no longer verify, and results differ from earlier ones. A change of a constant here needs an entry in
 * CHANGELOG.md.
 */
class GoldenDigestTest
{
    /** {@code signalbox simulate}, with no option that matters. */
    private static final String BUILT_IN = "e5ba59a09ab32f03";
    /** The first 500 requests of the Mooncake conversation trace, routed by prefix. */
    private static final String MOONCAKE_500 = "aa40db2917dbb3d5";

    @TempDir
    private Path directory;

    @Test
    void shouldWriteTheSameBuiltInJournalAsEver()
    {
        assertEquals(BUILT_IN, digest());
    }

    @Test
    void shouldWriteTheSameTraceJournalAsEver()
    {
        final Path trace = Path.of(System.getProperty("signalbox.root", ".."))
            .resolve("../shared/traces/mooncake_conversation_trace.jsonl.gz").normalize();
        Assumptions.assumeTrue(Files.isRegularFile(trace), "skipped: the shared trace " + trace + " is absent");

        assertEquals(MOONCAKE_500, digest(
            "--trace", trace.toString(), "--limit", "500", "--block-size", "512", "--router", "kv-aware"));
    }

    private String digest(final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of(
            "simulate", "--no-verify", "--json", "--journal", directory.resolve("journal").toString()));
        arguments.addAll(List.of(options));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return JsonText.leaves(run.out()).get("journal.digest");
    }
}
