// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.compare.Comparison;
import io.signalbox.compare.ComparisonPlan;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.compare.ComparisonRow;
import io.signalbox.compare.SeededWorkload;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/** Runs routers on workloads and cache sizes, several times each, and prints what came of it side by side. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 110,
    customSynopsis = "signalbox compare [OPTIONS]",
    header = "Compare routers on workloads and cache sizes, with confidence intervals.",
    description = {
        "%nOne simulated run without journal per router, workload, cache size and seed, several at a time. A seed varies " +
            "generated workloads, the starts of agents' plays and the simulated noise; arrivals of a trace it spreads " +
            "within the resolution of the trace's clock. The same options give the same bytes on standard output, " +
            "whatever the number of workers."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox compare --workloads skewed,bursty --seeds 5",
        "  signalbox compare --workloads closed-loop --block-size 64 --lock-step --kv-blocks 2049,4097,8193",
        "  signalbox compare --workloads trace.jsonl.gz --block-size 512 --limit 2000 --csv routers.csv",
        "",
        "Exit codes: 0 done; 2 something to mend outside: options, input, files, memory; 3 an internal error."})
final class CompareCommand implements Callable<Integer>
{
    private final Console console;
    @Spec
    private CommandSpec spec;

    @ArgGroup(validate = false, heading = "%nWorkloads:%n", order = 1)
    private final ComparedWorkloads workloads = new ComparedWorkloads();

    @ArgGroup(validate = false, heading = "%nSchedulers:%n", order = 2)
    private final ComparedSchedulers schedulers = new ComparedSchedulers();

    @ArgGroup(validate = false, heading = "%nSimulated ranks:%n", order = 3)
    private final CostOptions costs = new CostOptions();

    @Option(names = "--seeds", paramLabel = "N",
        description = "Runs of each kind, one per seed; from 2 on there are intervals (default: ${DEFAULT-VALUE}).")
    private int seeds = 3;

    @Option(names = "--seed", paramLabel = "N",
        description = "The first seed; the others follow (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--workers", paramLabel = "N", description = "Runs at a time (default: one per processor).")
    private Integer workers;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write means and intervals to this file.")
    private Path csv;

    @Option(names = "--json", paramLabel = "FILE",
        description = "Write settings, means, intervals and the figures of each run to this file.")
    private Path json;

    CompareCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (schedulers.listsRouters())
        {
            RouterList.print(console.out(), schedulers.known());
            return ExitCode.OK;
        }
        if (spec.commandLine().getParseResult().hasMatchedOption("--expert-skew"))
        {
            throw new ConfigException("--expert-skew shapes routed experts, and compare captures none; leave it out.");
        }
        IdleOptions.refuseOfRanks(spec.commandLine().getParseResult());
        final List<SeededWorkload> seeded = workloads.workloads();
        checkFiles();
        final ComparisonPlan plan = OptionNames.translate(() -> new ComparisonPlan(seeded,
            schedulers.kvBlocks(), schedulers.routers(), seed, seeds, schedulers.config(), costs.config(seed)));
        final int threads = workers == null ? Runtime.getRuntime().availableProcessors() : workers;
        MemoryNeed.checkPools(schedulers.config(), Collections.max(plan.kvBlocks()), Math.min(threads, plan.cells()),
            Runtime.getRuntime().maxMemory());
        try (OutputFile csvFile = OutputFile.reserve("--csv", csv, ComparisonFiles.csvBytes(plan));
            OutputFile jsonFile = OutputFile.reserve("--json", json, ComparisonFiles.jsonBytes(plan)))
        {
            return compare(plan, threads, csvFile, jsonFile);
        }
    }

    private int compare(
        final ComparisonPlan plan, final int threads, final OutputFile csvFile, final OutputFile jsonFile)
    {
        final long startNanos = System.nanoTime();
        final List<ComparisonRow> rows = run(plan, threads);
        final double seconds = (System.nanoTime() - startNanos) / 1e9;
        // The table first: a file that cannot be written after all does not take it along.
        ComparisonText.print(console.out(), rows, seeds);
        console.out().flush();
        if (csvFile != null)
        {
            csvFile.write(ComparisonFiles.csv(rows));
        }
        if (jsonFile != null)
        {
            jsonFile.write(ComparisonFiles.json(plan, rows));
        }
        console.err().printf("%nwall clock        %s s for %s runs, %d at a time%n",
            Decimals.text(seconds, 2), Decimals.grouped(plan.cells()), Math.min(threads, plan.cells()));
        return ExitCode.OK;
    }

    private List<ComparisonRow> run(final ComparisonPlan plan, final int threads)
    {
        final ProgressLine line = new ProgressLine(console.err());
        final ComparisonProgress progress = console.terminal() ? (ended, total) -> line.show(text(ended, total)) :
            ComparisonProgress.NONE;
        progress.onRun(0, plan.cells());
        try
        {
            return HeapShortage.named("the comparison with " + threads + " runs at a time",
                "give fewer --workers, ranks, blocks or requests", () -> OptionNames.translate(
                    () -> CostOptions.translate(() -> Comparison.run(plan, threads, progress))));
        }
        finally
        {
            line.wipe();
        }
    }

    private static String text(final int ended, final int total)
    {
        return Decimals.grouped(ended) + " of " + Decimals.grouped(total) + " runs";
    }

    private void checkFiles()
    {
        if (csv != null && json != null && csv.toAbsolutePath().normalize().equals(json.toAbsolutePath().normalize()))
        {
            throw new ConfigException("--csv and --json are both " + csv + "; give each a file of its own.");
        }
        for (final Path trace : workloads.files())
        {
            refuseTrace("--csv", csv, trace);
            refuseTrace("--json", json, trace);
        }
    }

    private static void refuseTrace(final String option, final Path file, final Path trace)
    {
        try
        {
            if (file != null && Files.exists(file) && Files.isSameFile(file, trace))
            {
                throw new ConfigException(option + "=" + file + " is a trace of --workloads, which it would replace; give " +
                    "another file.");
            }
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                option + "=" + file + " cannot be looked at (" + FileFault.reason(e) + "); give another one.");
        }
    }
}
