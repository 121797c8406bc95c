// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.HeapShortage;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.options.ArgumentConverters;
import io.signalbox.cli.options.CommandModel;
import io.signalbox.cli.options.CostOptions;
import io.signalbox.cli.options.DeploymentOptions;
import io.signalbox.cli.options.GoodputOption;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.PluginOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.SchedulerOptions;
import io.signalbox.cli.options.WorkloadOptions;
import io.signalbox.cli.options.sweep.SweepFront;
import io.signalbox.cli.options.sweep.SweepOptions;
import io.signalbox.cli.options.sweep.SweptOptions;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.sweep.SweepDocument;
import io.signalbox.sweep.Sweep;
import io.signalbox.sweep.SweepCell;
import io.signalbox.sweep.SweepDirectory;
import io.signalbox.sweep.SweepMerge;
import io.signalbox.sweep.SweepPlan;
import io.signalbox.sweep.SweepRanking;
import io.signalbox.sweep.SweepRun;
import io.signalbox.sweep.SweepShard;
import io.signalbox.sweep.SweepValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** Simulates the combinations of a grid, in shards, and ranks them. */
@Command(
    name = "sweep",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox sweep [merge DIR...] [OPTIONS]",
    header = "Search over settings: simulate every combination of a grid, in shards, and rank them.",
    description = {
        "%nA cell is a combination of values; each of its runs is 'signalbox simulate' with these options and a seed. " +
            "The same plan gives the same bytes in any number of shards."},
    commandListHeading = "%nCommands:%n",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox sweep --grid kv-blocks=4097,8193 --grid router=kv-aware,round-robin --out runs/s1",
        "  signalbox sweep --plan search.yaml --slo ttft=1s,tpot=30ms --out runs/s2 --json-file s2.json",
        "  signalbox sweep --plan search.yaml --shard 3/8 --out shard-3",
        "  signalbox sweep merge shard-* --json-file all.json",
        "",
        "Exit codes: 0 done; 2 usage or environment error: options, input, files or memory; 3 internal error."})
public final class SweepCommand implements Callable<Integer>
{
    static final String NAME = "signalbox sweep";
    /** A document has about as many bytes for each run and for each cell. */
    private static final long RUN_BYTES = 1 << 9;
    private static final long CELL_BYTES = 1 << 12;

    private static final String WORKLOAD = "Workload";
    private static final String SCHEDULER = "Scheduler";
    private static final String COSTS = "Costs of simulated ranks";
    private static final String DEPLOYMENT = "Deployment whose step times are simulated";

    private final Console console;
    @Spec
    private CommandSpec spec;

    @OptionGroup("Search")
    private final SweepOptions search = new SweepOptions();

    @OptionGroup(WORKLOAD)
    private final WorkloadOptions workload = new WorkloadOptions();

    @OptionGroup(SCHEDULER)
    private final SchedulerOptions scheduler = new SchedulerOptions();

    @OptionGroup(COSTS)
    private final CostOptions costs = new CostOptions();

    @OptionGroup(DEPLOYMENT)
    private final DeploymentOptions deployment = new DeploymentOptions();

    @Mixin
    private final GoodputOption goodput = new GoodputOption();

    @Mixin
    private final PluginOptions plugins = new PluginOptions();

    @Mixin
    private final SweepFront front = new SweepFront();

    @Mixin
    private final SweepTop top = new SweepTop();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public SweepCommand(final Console console)
    {
        this.console = console;
    }

    /** The command with its part that merges. */
    public static CommandLine line(final Console console)
    {
        final CommandLine line = CommandModel.of(new SweepCommand(console));
        line.addSubcommand("merge", CommandModel.of(new SweepMergeCommand(console)));
        return line;
    }

    @Override
    public Integer call()
    {
        if (deployment.listsModels())
        {
            return MeasuredModels.print(console, jsonOptions);
        }
        final SweptOptions known = known(spec);
        final SweepPlan plan = search.plan(known, known.given(spec.commandLine().getParseResult()), this::variant);
        final SweepResult result = new SweepResult(console, jsonOptions, front.figures(), top.cells());
        refuseDocumentOfAPart();
        try (OutputFile file = jsonOptions.reserve(bytes(plan, plan.cells().size())))
        {
            runRounds(plan, known, result, file);
        }
        return ExitCode.OK;
    }

    private void refuseDocumentOfAPart()
    {
        for (final String option : List.of("--json", "--json-file"))
        {
            if (search.shard().count() > 1 && spec.commandLine().getParseResult().hasMatchedOption(option))
            {
                throw new ConfigException(option + " has all cells, and --shard=" + search.shard() +
                    " runs a part of them; leave it out, and give it to 'signalbox sweep merge'.");
            }
        }
    }

    private static SweptOptions known(final CommandSpec command)
    {
        return new SweptOptions(
            command, List.of(WORKLOAD, SCHEDULER, COSTS, DEPLOYMENT), List.of("--slo", "--plugins"));
    }

    /** The options of a variant. */
    private Map<String, SweepValue> variant(final List<String> words)
    {
        final CommandLine line = CommandModel.of(new SweepCommand(console));
        ArgumentConverters.register(line);
        CommandModel.parse(line, words.toArray(new String[0]));
        final SweptOptions known = known(line.getCommandSpec());
        final Map<String, SweepValue> given = known.given(line.getParseResult());
        for (final OptionSpec option : line.getParseResult().matchedOptions())
        {
            known.require(option);
        }
        return given;
    }

    /** The rounds of successive halving, or the only one, until cells of other shards are missing. */
    private void runRounds(
        final SweepPlan first, final SweptOptions known, final SweepResult result, final OutputFile file)
    {
        final SweptRuns runs = new SweptRuns(console, known, ofWorkload(), first.firstSeed(), search.workers());
        for (SweepPlan plan = first; plan != null; )
        {
            final Path directory = plan.halving().keepOneIn() == 0 ? search.directory() :
                SweepDirectory.ofRound(search.directory(), plan.halving().round());
            final int ended = runRound(plan, directory, runs);
            plan = conclude(plan, directory, ended, runs, result, file);
        }
    }

    /** Runs what the shard misses, and returns how many of its runs have ended. */
    private int runRound(final SweepPlan plan, final Path directory, final SweptRuns runs)
    {
        final SweepShard shard = search.shard();
        final String text = JsonDocument.text(SweepDocument.Plan.of(plan));
        final List<SweepCell> cells = plan.cells();
        final List<SweepCell> own = shard.of(cells);
        // A plan that is refused leaves no directory behind.
        final boolean isBegun = SweepDirectory.isBegun(directory, text, shard);
        if (!isBegun)
        {
            check(plan, own, runs);
        }
        try (SweepDirectory results = SweepDirectory.open(directory, text, cells, shard))
        {
            final Sweep sweep = new Sweep(results, runs);
            if (isBegun)
            {
                check(plan, own.stream().filter(cell -> sweep.missing(plan, List.of(cell)) > 0).toList(), runs);
            }
            simulate(plan, own, sweep);
            return results.runs().size();
        }
    }

    /** Checks cells with as many requests as they can have in any round. */
    private void check(final SweepPlan plan, final List<SweepCell> cells, final SweptRuns runs)
    {
        if (cells.isEmpty())
        {
            return;
        }
        final List<SweepCell> largest = plan.withRequestsOfLastRound().cells();
        final long planned = (long)cells.size() * plan.seeds();
        final long[] checked = new long[1];
        try (Progress progress = progressOption.show(console, NAME))
        {
            progress.showNow(0, planned, "checks " + Decimals.counted(planned, "run"));
            runs.check(cells.stream().map(cell -> largest.get(cell.number())).toList(), plan.seeds(),
                (int)Math.min(search.workers(), planned), count ->
                {
                    checked[0] += count;
                    progress.show(checked[0], planned, () -> Decimals.grouped(checked[0]) + " of " +
                        Decimals.grouped(planned) + " runs checked");
                });
        }
    }

    /** Expected size of the document. */
    static long bytes(final SweepPlan plan, final int cells)
    {
        return cells * (CELL_BYTES + RUN_BYTES * plan.seeds());
    }

    private static Set<String> ofWorkload()
    {
        return CommandModel.group("", 0, new WorkloadOptions()).options().stream()
            .map(OptionSpec::longestName).map(name -> name.substring(2)).collect(Collectors.toSet());
    }

    private void simulate(final SweepPlan plan, final List<SweepCell> cells, final Sweep sweep)
    {
        final int workers = search.workers();
        final int missing = sweep.missing(plan, cells);
        final int planned = cells.size() * plan.seeds();
        console.err().println(NAME + ": " + Decimals.counted(cells.size(), "cell") + ", " +
            Decimals.counted(planned, "run") +
            (missing < planned ? ", of which " + Decimals.grouped(planned - missing) + " ended before" : ""));
        try (Progress progress = progressOption.show(console, NAME))
        {
            final ComparisonProgress shown = (parts, ended, total) -> progress.show(parts,
                (long)total * ComparisonProgress.PARTS_PER_RUN,
                () -> Decimals.grouped(ended) + " of " + Decimals.grouped(total) + " runs");
            HeapShortage.named("the sweep with " + workers + " runs at a time",
                "give fewer --workers, ranks, blocks or requests", () ->
                {
                    sweep.run(plan, cells, workers, shown, nanos -> estimate(nanos, missing, workers));
                    return null;
                });
        }
    }

    private void estimate(final long firstNanos, final int runs, final int workers)
    {
        final double seconds = firstNanos / 1e9;
        final double others = seconds * (runs - 1) / Math.min(workers, runs - 1);
        console.err().println(NAME + ": the first run took " + Decimals.text(seconds, 2) + " s; the other " +
            Decimals.grouped(runs - 1) + " take about " + Decimals.text(others, 0) + " s if they are alike, " + workers +
            " at a time");
    }

    /** The next round; {@code null} if there is none, or if cells of other shards are missing. */
    private SweepPlan conclude(final SweepPlan plan, final Path directory, final int ended, final SweptRuns runs,
        final SweepResult result, final OutputFile file)
    {
        final SweepShard shard = search.shard();
        final SweepMerge merge = new SweepMerge(plan).add(directory);
        final boolean isHalving = plan.halving().keepOneIn() > 0;
        if (shard.count() == 1 || isHalving && merge.missing() == 0)
        {
            final SweepRun[][] complete = merge.complete();
            final List<SweepRanking.Ranked> ranked = new SweepRanking(plan, complete).ranked(front.figures());
            final SweepPlan next = next(plan, ranked, runs);
            if (next == null)
            {
                result.print(plan, complete, file);
            }
            else
            {
                console.err().println(NAME + ": round " + plan.halving().round() + " ended with " +
                    Decimals.counted(ranked.size(), "cell") + "; the best " +
                    Decimals.grouped(next.halving().kept().size()) + " run with --limit " +
                    next.options().get(SweepPlan.LIMIT).text());
            }
            return next;
        }
        console.out().print("shard " + shard + ": " + Decimals.counted(shard.of(plan.cells()).size(), "cell") + ", " +
            Decimals.counted(ended, "run") + " in " + directory + "\n" +
            (isHalving ? "next: the same command, after the other shards of round " + plan.halving().round() + "\n" :
                "next: signalbox sweep merge, with the directories of all " + shard.count() + " shards\n"));
        return null;
    }

    /** The next round; {@code null} if there is none, or if it would repeat this one. */
    private SweepPlan next(final SweepPlan plan, final List<SweepRanking.Ranked> ranked, final SweptRuns runs)
    {
        final SweepPlan next = plan.next(ranked.stream().map(each -> each.cell().number()).toList());
        if (next == null || runs.haveMore(next.withRequestsOfLastRound().cells(), plan.seeds(), plan.requests()))
        {
            return next;
        }
        console.err().println(NAME + ": round " + plan.halving().round() + " had all requests of the workload, and is the " +
            "last one: another round would repeat its runs");
        return null;
    }
}
