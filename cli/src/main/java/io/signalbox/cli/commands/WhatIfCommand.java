// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.HeapShortage;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.ChangedScheduler;
import io.signalbox.cli.options.GoodputOption;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ListedRouters;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.cli.options.StartOptions;
import io.signalbox.cli.options.StepTimeOptions;
import io.signalbox.cli.options.VariantOptions;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.cost.CostFile;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.StateStart;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.WhatIfDocument;
import io.signalbox.printing.WhatIfText;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.MemoryNeed;
import io.signalbox.whatif.Beginning;
import io.signalbox.whatif.RecordedExperts;
import io.signalbox.whatif.Variant;
import io.signalbox.whatif.WhatIf;
import io.signalbox.whatif.WhatIfReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Re-runs the requests of a journal under other settings, and prints what would have been different. */
@Command(
    name = "whatif",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox whatif JOURNAL [OPTIONS]",
    header = "Re-run a journal's requests under other settings, decision by decision.",
    description = {
        "%nSimulates the recorded requests again, unchanged and under each variant: with their prompts, outputs, arrivals " +
            "and think times, and with the recorded step times or, for a journal of an embedded engine, with step times " +
            "fitted to it. Scheduler options change every variant; --variant adds one. Without either, the report says " +
            "how well the re-run reproduces the record. Only reads."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox whatif runs/0001",
        "  signalbox whatif runs/0001 --kv-blocks 131072",
        "  signalbox whatif runs/0001 --variant 'turns: --router round-robin' --variant '2: --ranks 2'",
        "  signalbox whatif runs/0001 --router kv-aware --router-options beta=0.5 --json",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class WhatIfCommand implements Callable<Integer>
{
    private static final int VARIANT_BYTES = 1 << 17;

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @OptionGroup("Variants")
    private final VariantOptions variants = new VariantOptions();

    @OptionGroup("Scheduler")
    private final ChangedScheduler scheduler = new ChangedScheduler();

    @OptionGroup("Step times")
    private final StepTimeOptions stepTimes = new StepTimeOptions();

    @OptionGroup("Start")
    private final StartOptions start = new StartOptions();

    @Option(names = "--expert-devices", paramLabel = "N",
        description = "Report the load of experts, and how even it is on N devices under several placements of experts.")
    private Integer expertDevices;

    @Option(names = "--decisions", paramLabel = "N",
        description = "List the first N decisions that differ, per variant (default: ${DEFAULT-VALUE}).")
    private int decisions = 10;

    private final SettingOptions plan = SettingOptions.of(List.of(ComparisonConfig.WORKERS, ComparisonConfig.SEEDS))
        .defaultInWords(ComparisonConfig.WORKERS, "one per processor").byDefault(ComparisonConfig.SEEDS, 1)
        .helped(ComparisonConfig.SEEDS, "Run each variant N times, the first time with the recorded arrivals and then " +
            "with arrivals delayed by less than the mean time between two, for intervals of the differences");

    @Mixin
    private final ListedRouters routers = new ListedRouters();

    @Mixin
    private final GoodputOption goodput = new GoodputOption();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public WhatIfCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (routers.isAsked())
        {
            return InstalledRouters.print(console, jsonOptions, routers.routers());
        }
        JournalArgument.requireNamed(journal);
        if (decisions < 0)
        {
            throw new ConfigException("--decisions=" + decisions + " is negative; give the number of decisions to list.");
        }
        final int threads = plan.isGiven(ComparisonConfig.WORKERS) ? plan.get(ComparisonConfig.WORKERS) :
            Runtime.getRuntime().availableProcessors();
        final int seeds = plan.get(ComparisonConfig.SEEDS);
        final List<VariantOptions.Named> asked = variants.asked(scheduler);
        try (OutputFile file = jsonOptions.reserve((asked.size() + 1L) * VARIANT_BYTES))
        {
            final long startNanos = System.nanoTime();
            final WhatIfReport report = HeapShortage.named("the what-if of " + journal + " with " + threads +
                " runs at a time", "give fewer --workers, variants, ranks or blocks", () -> ask(asked, threads));
            final double seconds = (System.nanoTime() - startNanos) / 1e9;
            jsonOptions.print(console, file, () -> JsonDocument.text(WhatIfDocument.of(journal, report)),
                () -> WhatIfText.print(console.out(), journal, report));
            final long runs = (asked.size() + 1L) * seeds;
            console.err().printf("%nwall clock        %s s for %s, %d at a time, and reading the journal%n",
                Decimals.text(seconds, 2), Decimals.counted(runs, "re-run"), Math.min(threads, runs));
            return ExitCode.OK;
        }
    }

    private WhatIfReport ask(final List<VariantOptions.Named> asked, final int threads)
    {
        final List<Variant> changed = new ArrayList<>();
        final Beginning beginning = start.beginning(journal);
        final CostFile cost = stepTimes.file();
        final WhatIf question;
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox whatif, reading"));
            StateStart kept = StateStart.of(journal, progress))
        {
            final JournalReader reader = kept.reader();
            RemovedRecords.note(console, "signalbox whatif", journal);
            // Options are checked before the journal is read to its end.
            final SchedulerConfig recorded = reader.config(routers.routers());
            for (final VariantOptions.Named variant : asked)
            {
                changed.add(new Variant(variant.name(), variant.change(recorded.withInstalledRouter(), routers.routers())));
            }
            checkMemory(recorded, changed, threads);
            if (expertDevices != null && recorded.capture() == null)
            {
                throw new ConfigException("--expert-devices needs routed experts, and the run of " + journal +
                    " captured none; leave it out.");
            }
            final WhatIf read = WhatIf.of(kept, recorded, beginning, goodput.level(), cost);
            final WhatIf costed = stepTimes.apply(read);
            question = expertDevices == null ? costed : costed.withExperts(
                new RecordedExperts(journal, routers.routers()), recorded.capture(), expertDevices);
        }
        try (Progress progress = progressOption.show(console, "signalbox whatif"))
        {
            final ComparisonProgress runs = (parts, ended, total) -> progress.show(parts,
                (long)total * ComparisonProgress.PARTS_PER_RUN,
                () -> Decimals.grouped(ended) + " of " + Decimals.grouped(total) + " re-runs");
            return question.ask(changed, threads, decisions, plan.get(ComparisonConfig.SEEDS), runs);
        }
    }

    private static void checkMemory(final SchedulerConfig recorded, final List<Variant> changed, final int threads)
    {
        SchedulerConfig largest = recorded;
        for (final Variant variant : changed)
        {
            final long blocks = (long)variant.config().ranks() * variant.config().kvBlocks();
            largest = blocks > (long)largest.ranks() * largest.kvBlocks() ? variant.config() : largest;
        }
        MemoryNeed.checkPools(largest, largest.kvBlocks(), Math.min(threads, changed.size() + 1),
            MachineMemory.limits());
    }
}
