// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CompareCommandTest
{
    private static final String PLAYS = "../backend-sim/src/test/resources/traces/agent_plays.jsonl";
    private static final String TRACE = "../docs/examples/conversations.jsonl";
    private static final List<String> SMALL = List.of("--ranks", "2", "--conversations", "6", "--seeds", "2");

    @TempDir
    private Path directory;

    private static CommandRun compare(final List<String> options, final String... more)
    {
        final List<String> arguments = new ArrayList<>(List.of("compare"));
        arguments.addAll(options);
        arguments.addAll(List.of(more));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run;
    }

    @Test
    void shouldPrintATablePerWorkloadAndCacheSizeWithALinePerRouter()
    {
        final String out = compare(SMALL, "--workloads", "conversations," + PLAYS, "--kv-blocks", "3000,5000").out();

        for (final String title : List.of("conversations, 3,000", "conversations, 5,000", "agent_plays.jsonl, 3,000",
            "agent_plays.jsonl, 5,000"))
        {
            assertTrue(out.contains(title + " KV blocks per rank, 2 seeds\n"), out);
        }
        for (final DpRouterProvider router : DpRouters.installed().all())
        {
            // Two tables of each.
            assertEquals(8, out.lines().filter(line -> line.startsWith(router.label() + " ")).count(), out);
        }
        assertTrue(out.lines().anyMatch(line -> line.startsWith("router") && line.contains("TTFT p50, ms")), out);
        assertTrue(out.contains(" ± ") && out.contains("* best mean"), out);
    }

    @Test
    void shouldPrintTheSameBytesForAnyNumberOfWorkersAndOthersForOtherSeeds()
    {
        final String one = compare(SMALL, "--lock-step", "--workers", "1").out();
        assertEquals(one, compare(SMALL, "--lock-step", "--workers", "3").out());
        assertNotEquals(one, compare(SMALL, "--workers", "3").out());
        assertNotEquals(one, compare(SMALL, "--lock-step", "--seed", "2").out());
    }

    /** Tenants share no blocks, so that the prompts that conversations have in common are computed once for each. */
    @Test
    void shouldDivideTheWorkloadAmongTenants()
    {
        final String one = compare(SMALL, "--router", "default").out();
        final String divided = compare(SMALL, "--router", "default", "--tenants", "a=3,b=1").out();
        assertNotEquals(one, divided);
        assertEquals(divided, compare(SMALL, "--router", "default", "--tenants", "a=3,b=1", "--workers", "2").out());
        final CommandRun refused = CommandRun.of(List.of("compare", "--tenants", "a=0"));
        assertEquals(ExitCode.BAD_INPUT, refused.exitCode());
        assertTrue(refused.err().contains("--tenants=a=0 is not "), refused.err());
    }

    @Test
    void shouldWriteFilesForPrograms() throws IOException
    {
        final Path csv = directory.resolve("table.csv");
        final Path json = directory.resolve("table.json");
        compare(SMALL, "--csv-file", csv.toString(), "--json-file", json.toString(),
            "--router", "default");

        final List<String> lines = Files.readAllLines(csv);
        assertEquals(2, lines.size());
        assertTrue(lines.get(0).startsWith("workload,kvBlocks,router,ttftP50Ms,ttftP50MsHalfWidth95,"), lines.get(0));
        assertTrue(lines.get(1).startsWith("conversations,65536,default,"), lines.get(1));
        assertEquals(lines.get(0).split(",").length, lines.get(1).split(",", -1).length);
        final Map<String, String> leaves = JsonText.leaves(Files.readString(json));
        assertEquals(lines.get(1).split(",")[3], leaves.get("cells[0].ttftP50Ms.mean"));
        final double mean = (Double.parseDouble(leaves.get("cells[0].ttftP50Ms.values[0]")) +
            Double.parseDouble(leaves.get("cells[0].ttftP50Ms.values[1]"))) / 2.0;
        assertEquals(mean, Double.parseDouble(leaves.get("cells[0].ttftP50Ms.mean")), 1e-6);
        assertEquals("2", leaves.get("settings.scheduler.ranks"));
        assertFalse(leaves.containsKey("settings.router.label"));
    }

    @Test
    void shouldLeaveOutIntervalsOfASingleSeed() throws IOException
    {
        final Path json = directory.resolve("table.json");
        final CommandRun run =
            compare(List.of("--ranks", "1", "--conversations", "3", "--seeds", "1"), "--json-file", json.toString());

        assertFalse(run.out().contains("±"), run.out());
        assertEquals("null", JsonText.leaves(Files.readString(json)).get("cells[0].ttftP50Ms.halfWidth95"));
    }

    /** With the first seed, a comparison runs what simulate runs: generated requests, a trace, plays of agents. */
    @ParameterizedTest
    @ValueSource(strings = {"conversations", TRACE, PLAYS})
    void shouldSimulateWhatSimulateDoesWithTheFirstSeed(final String workload)
    {
        final List<String> options =
            List.of("--ranks", "2", "--router", "kv-aware", "--seed", "5", "--limit", "40", "--json");
        final Map<String, String> compared =
            JsonText.leaves(compare(options, "--workloads", workload, "--seeds", "1").out());
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--no-journal",
            workload.contains(".jsonl") ? "--trace" : "--workload", workload));
        arguments.addAll(options);
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final Map<String, String> simulated = JsonText.leaves(run.out());

        assertEquals(Double.parseDouble(simulated.get("latency.ttft.p90Ms")),
            Double.parseDouble(compared.get("cells[0].ttftP90Ms.values[0]")));
        assertEquals(Double.parseDouble(simulated.get("throughput.completedRequestsPerSecond")),
            Double.parseDouble(compared.get("cells[0].requestsPerSecond.values[0]")));
        assertEquals(Double.parseDouble(simulated.get("prefixCache.tokenHitRate")),
            Double.parseDouble(compared.get("cells[0].tokenHitRate.values[0]")));
    }

    @Test
    void shouldPrintIncidentsAndRefuseOptionsThatDoNotChangeThem()
    {
        final Map<String, String> leaves =
            JsonText.leaves(compare(List.of("--incidents", "--router", "default", "--json")).out());
        assertEquals("default", leaves.get("routers[0].router"));
        assertEquals("sglang #32983", leaves.get("incidents[4].source"));
        assertEquals("true", leaves.get("routers[0].findings[4].happened"));

        final CommandRun refused = CommandRun.of(List.of("compare", "--incidents", "--ranks", "2"));
        assertEquals(ExitCode.BAD_INPUT, refused.exitCode());
        assertTrue(refused.err().contains(
            "--ranks does not change the scenarios of --incidents; leave one of them out."), refused.err());
    }
}
