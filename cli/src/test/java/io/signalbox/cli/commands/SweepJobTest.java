// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.Main;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The files of docs/deploy: their fields, and their commands as local processes. */
@Tag("threads")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class SweepJobTest
{
    private static final Path DEPLOY = Path.of(System.getProperty("signalbox.root"), "docs", "deploy");
    private static final Path BATCH = DEPLOY.resolve("sweep.sbatch");
    /** Long enough for a kill before the last run. */
    private static final String PLAN = """
        options: {workload: conversations, ranks: 2, limit: 100}
        grid: {kv-blocks: [4097, 8193], router: [kv-aware, round-robin, least-loaded]}
        seeds: 4
        """;

    @TempDir
    private Path place;
    private Map<?, ?> plans;
    private Map<?, ?> job;

    @BeforeEach
    void read() throws IOException
    {
        final List<Map<?, ?>> documents = new ArrayList<>();
        new Yaml().loadAll(Files.readString(DEPLOY.resolve("sweep-job.yaml")))
            .forEach(each -> documents.add((Map<?, ?>)each));
        plans = documents.get(0);
        job = documents.get(1);
        Files.writeString(place.resolve("search.yaml"), PLAN);
        final StringBuilder launcher = new StringBuilder("#!/bin/sh\nexec '" +
            Path.of(System.getProperty("java.home"), "bin", "java") + "' -XX:TieredStopAtLevel=1");
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-Dchronicle"))
            .forEach(argument -> launcher.append(" '").append(argument).append('\''));
        launcher.append(" -cp '").append(System.getProperty("java.class.path")).append("' ").append(Main.class.getName())
            .append(" \"$@\"\n");
        final Path bin = Files.createDirectory(place.resolve("bin")).resolve("signalbox");
        Files.writeString(bin, launcher);
        Files.setPosixFilePermissions(bin, PosixFilePermissions.fromString("rwx------"));
    }

    private Process start(final List<String> command, final Map<String, String> environment) throws IOException
    {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(place.resolve("log").toFile());
        builder.environment().putAll(environment);
        builder.environment().put("PATH", place.resolve("bin") + File.pathSeparator + System.getenv("PATH"));
        builder.environment().put("PLANS", place.toString());
        builder.environment().put("RESULTS", place.toString());
        return builder.start();
    }

    private Map<?, ?> container()
    {
        return (Map<?, ?>)list(at(job, "spec", "template", "spec", "containers")).get(0);
    }

    private static List<?> list(final Object value)
    {
        return (List<?>)value;
    }

    private static Object at(final Map<?, ?> map, final String... path)
    {
        Object value = map;
        for (final String key : path)
        {
            value = ((Map<?, ?>)value).get(key);
        }
        return value;
    }

    private Process pod(final int index, final int shards) throws IOException
    {
        final List<String> command = new ArrayList<>();
        list(container().get("command")).forEach(word -> command.add((String)word));
        list(container().get("args")).forEach(word -> command.add((String)word));
        return start(command, Map.of("JOB_COMPLETION_INDEX", Integer.toString(index), "SHARDS", Integer.toString(shards)));
    }

    private Process task(final int index, final int shards) throws IOException
    {
        return start(List.of("sh", BATCH.toString()), Map.of("SLURM_ARRAY_TASK_ID", Integer.toString(index),
            "SLURM_ARRAY_TASK_COUNT", Integer.toString(shards), "SLURM_CPUS_PER_TASK", "2"));
    }

    private void end(final Process process) throws IOException, InterruptedException
    {
        assertEquals(0, process.waitFor(), Files.readString(place.resolve("log")));
    }

    @Test
    void shouldRunEachShardOnce() throws IOException
    {
        assertEquals("Indexed", at(job, "spec", "completionMode"));
        final Object shards = at(job, "spec", "completions");
        final Map<?, ?> variable = (Map<?, ?>)list(container().get("env")).get(0);
        assertEquals(Map.of("name", "SHARDS", "value", shards.toString()), variable);
        assertEquals(at(job, "spec", "template", "spec", "volumes"), List.of(
            Map.of("name", "plans", "configMap", Map.of("name", at(plans, "metadata", "name"))),
            Map.of("name", "results", "persistentVolumeClaim", Map.of("claimName", "sweep-results"))));
        final Object processors = at(container(), "resources", "requests", "cpu");
        assertTrue(list(container().get("args")).toString().contains(" --workers " + processors + " "), "a worker for each");
        assertEquals(at(container(), "resources", "requests", "memory"), at(container(), "resources", "limits", "memory"));
        assertTrue(Files.readString(BATCH).contains("#SBATCH --array=0-" + ((Integer)shards - 1) + "\n"));
        final Path plan = Files.writeString(place.resolve("given.yaml"), (String)at(plans, "data", "search.yaml"));
        final CommandRun run =
            CommandRun.of("sweep", "--plan", plan.toString(), "--out", place.resolve("given").toString());
        assertEquals(0, run.exitCode(), run.err());
    }

    /** Both files run the shards of one plan, and one process is killed: the merged bytes are those of one process. */
    @Test
    void shouldMergeWhatPodsAndTasksRan() throws IOException, InterruptedException
    {
        final Path results = place.resolve("sweep/results-0-of-2.jsonl");
        final Process killed = pod(0, 2);
        while (killed.isAlive() && (!Files.exists(results) || Files.size(results) == 0))
        {
            killed.waitFor(5, TimeUnit.MILLISECONDS);
        }
        killed.destroyForcibly();
        assertNotEquals(0, killed.waitFor(), "it ended before the kill");
        final String before = Files.readString(results);
        final Process task = task(1, 2);
        end(pod(0, 2));
        end(task);
        assertTrue(Files.readString(results).startsWith(before.substring(0, before.lastIndexOf('\n') + 1)));
        final CommandRun merged = CommandRun.of("sweep", "merge", place.resolve("sweep").toString(), "--json");
        assertEquals(0, merged.exitCode(), merged.err());
        assertEquals(CommandRun.of("sweep", "--plan", place.resolve("search.yaml").toString(), "--out",
            place.resolve("whole").toString(), "--json").out(), merged.out());
    }
}
