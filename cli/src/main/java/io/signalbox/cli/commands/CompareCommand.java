// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.HeapShortage;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.options.ComparedSchedulers;
import io.signalbox.cli.options.ComparedWorkloads;
import io.signalbox.cli.options.CostOptions;
import io.signalbox.cli.options.CsvFlag;
import io.signalbox.cli.options.GoodputOption;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ListedRouters;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.cli.options.output.HtmlOption;
import io.signalbox.compare.Comparison;
import io.signalbox.compare.ComparisonCell;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.compare.SeededWorkload;
import io.signalbox.compare.incident.IncidentFinding;
import io.signalbox.compare.incident.IncidentTable;
import io.signalbox.printing.ComparisonFiles;
import io.signalbox.printing.ComparisonText;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.incident.IncidentReport;
import io.signalbox.printing.page.ComparisonPage;
import io.signalbox.router.RouterConfig;
import io.signalbox.sim.MemoryNeed;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** Simulates routers on workloads and cache sizes, several times each, and prints their figures side by side. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox compare [OPTIONS]",
    header = "Compare routers on workloads and cache sizes, with confidence intervals.",
    description = {
        "%nSimulates each combination of router, workload, cache size and seed, several at a time, without a journal. " +
            "The seed varies generated workloads, the starts of agents' plays and the simulated noise; seeds after the " +
            "first spread the arrivals of a trace within the resolution of the trace's clock. The same options give " +
            "the same bytes on standard output with any number of workers."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox compare --workloads skewed,bursty --seeds 5",
        "  signalbox compare --workloads closed-loop --block-size 64 --lock-step --kv-blocks 2049,4097,8193",
        "  signalbox compare --workloads trace.jsonl.gz --block-size 512 --limit 2000 --csv-file routers.csv",
        "",
        "Exit codes: 0 done; 2 usage or environment error: options, input, files or memory; 3 internal error."})
public final class CompareCommand implements Callable<Integer>
{
    private static final String CSV_FILE = "--csv-file";
    private static final Set<String> WITH_INCIDENTS = Set.of("--incidents", "--router", "--router-options", "--plugins",
        "--workers", "--json", JsonOptions.FILE_OPTION, "--progress", "--no-progress");
    private static final int FINDING_BYTES = 1 << 8;

    private final Console console;
    @Spec
    private CommandSpec spec;

    @OptionGroup("Workloads")
    private final ComparedWorkloads workloads = new ComparedWorkloads();

    @OptionGroup("Schedulers")
    private final ComparedSchedulers schedulers = new ComparedSchedulers();

    @OptionGroup("Costs of simulated ranks")
    private final CostOptions costs = new CostOptions();

    private final SettingOptions plan = SettingOptions.of(ComparisonConfig.SETTINGS)
        .defaultInWords(ComparisonConfig.WORKERS, "one per processor");

    @Option(names = "--incidents", description = "Try the routers on reported routing incidents instead of workloads.")
    private boolean incidents;

    @Mixin
    private final CsvFlag csv = new CsvFlag();

    @Option(names = CSV_FILE, paramLabel = "FILE", description = "Write the CSV to FILE as well.")
    @OutputPath
    private Path csvFile;

    @Mixin
    private final HtmlOption html = new HtmlOption();

    @Mixin
    private final GoodputOption goodput = new GoodputOption();

    @Mixin
    private final ListedRouters routers = new ListedRouters();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public CompareCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (routers.isAsked())
        {
            return listRouters();
        }
        if (incidents)
        {
            return tryIncidents();
        }
        if (spec.commandLine().getParseResult().hasMatchedOption("--expert-skew"))
        {
            throw new ConfigException("--expert-skew shapes routed experts, and compare captures none; leave it out.");
        }
        costs.refuseIdle(spec.commandLine().getParseResult());
        SettingOptions.refuseIdle(workloads, schedulers, costs);
        final int threads = threads();
        final List<SeededWorkload> seeded = workloads.workloads(plan.get(ComparisonConfig.FIRST_SEED));
        checkForms();
        final long seed = plan.get(ComparisonConfig.FIRST_SEED);
        final ComparisonConfig comparison = new ComparisonConfig(seeded,
            schedulers.kvBlocks(), schedulers.routers(routers.routers()), seed, plan.get(ComparisonConfig.SEEDS),
            schedulers.config(), costs.config(seed), goodput.level());
        MemoryNeed.checkPools(schedulers.config(), Collections.max(comparison.kvBlocks()),
            Math.min(threads, comparison.cells()), MachineMemory.limits());
        try (OutputFile csv = OutputFile.reserve(CSV_FILE, csvFile, ComparisonFiles.csvBytes(comparison));
            OutputFile json = jsonOptions.reserve(ComparisonFiles.jsonBytes(comparison));
            OutputFile page = html.reserve())
        {
            return compare(comparison, threads, csv, json, page);
        }
    }

    private int listRouters()
    {
        html.refuse("--list-routers runs no comparison");
        if (csv.isCsv() || csvFile != null)
        {
            throw new ConfigException((csv.isCsv() ? "--csv" : CSV_FILE) +
                " is for figures, and --list-routers runs no comparison; leave it out, or give --json.");
        }
        return InstalledRouters.print(console, jsonOptions, routers.routers());
    }

    private int threads()
    {
        return plan.isGiven(ComparisonConfig.WORKERS) ? plan.get(ComparisonConfig.WORKERS) :
            Runtime.getRuntime().availableProcessors();
    }

    /** The scenarios have workloads, ranks and costs of their own. */
    private int tryIncidents()
    {
        for (final OptionSpec option : spec.commandLine().getParseResult().matchedOptions())
        {
            if (!WITH_INCIDENTS.contains(option.longestName()))
            {
                throw new ConfigException(option.longestName() + " does not change the scenarios of --incidents; " +
                    "leave one of them out.");
            }
        }
        final List<RouterConfig> tried = schedulers.routers(routers.routers());
        try (OutputFile json = jsonOptions.reserve((long)FINDING_BYTES * IncidentTable.runs(tried)))
        {
            final List<IncidentFinding> findings =
                progress(IncidentTable.runs(tried), runs -> IncidentTable.of(tried, threads(), runs));
            jsonOptions.print(console, json, () -> IncidentReport.json(findings),
                () -> IncidentReport.print(console.out(), findings));
        }
        return ExitCode.OK;
    }

    private int compare(
        final ComparisonConfig comparison, final int threads, final OutputFile csv, final OutputFile json,
        final OutputFile page)
    {
        final long startNanos = System.nanoTime();
        final List<ComparisonCell> cells = run(comparison, threads);
        final double seconds = (System.nanoTime() - startNanos) / 1e9;
        jsonOptions.print(console, json, () -> ComparisonFiles.json(comparison, cells), () -> print(cells));
        if (csv != null)
        {
            csv.write(ComparisonFiles.csv(cells));
        }
        if (page != null)
        {
            page.write(ComparisonPage.html(comparison, cells, HtmlOption.command(spec)));
        }
        console.err().printf("%nwall clock        %s s for %s runs, %d at a time%n",
            Decimals.text(seconds, 2), Decimals.grouped(comparison.cells()), Math.min(threads, comparison.cells()));
        return ExitCode.OK;
    }

    private void print(final List<ComparisonCell> cells)
    {
        if (csv.isCsv())
        {
            console.out().print(ComparisonFiles.csv(cells));
        }
        else
        {
            ComparisonText.print(console.out(), cells, plan.get(ComparisonConfig.SEEDS));
        }
    }

    private List<ComparisonCell> run(final ComparisonConfig comparison, final int threads)
    {
        return progress(comparison.cells(), runs ->
            HeapShortage.named("the comparison with " + threads + " runs at a time",
                "give fewer --workers, ranks, blocks or requests", () -> Comparison.run(comparison, threads, runs)));
    }

    private <T> T progress(final int count, final Function<ComparisonProgress, T> work)
    {
        try (Progress progress = progressOption.show(console, "signalbox compare"))
        {
            final ComparisonProgress runs = (parts, ended, total) -> progress.show(parts,
                (long)total * ComparisonProgress.PARTS_PER_RUN,
                () -> Decimals.grouped(ended) + " of " + Decimals.grouped(total) + " runs");
            runs.onProgress(0, 0, count);
            return work.apply(runs);
        }
    }

    private void checkForms()
    {
        if (csv.isCsv() && jsonOptions.isJson())
        {
            throw new ConfigException(
                "--csv and --json exclude each other; print one, and write the other with --csv-file or --json-file.");
        }
    }
}
