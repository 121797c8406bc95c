// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.CommandFailure;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.HeapShortage;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.console.StopNotice;
import io.signalbox.cli.options.CostOptions;
import io.signalbox.cli.options.DeploymentOptions;
import io.signalbox.cli.options.GoodputOption;
import io.signalbox.cli.options.IdleOptions;
import io.signalbox.cli.options.JournalOptions;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ListedRouters;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.RetentionOptions;
import io.signalbox.cli.options.SchedulerOptions;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.cli.options.WorkloadOptions;
import io.signalbox.cli.options.output.HtmlOption;
import io.signalbox.cost.CostFile;
import io.signalbox.engine.Engine;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.ThreadedEngine;
import io.signalbox.journal.DeferredJournal;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.WriteBehind;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JournalFacts;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.ReportText;
import io.signalbox.printing.RunDocument;
import io.signalbox.printing.Verdict;
import io.signalbox.report.RunReport;
import io.signalbox.report.WallClock;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.EngineFactory;
import io.signalbox.sim.MemoryNeed;
import io.signalbox.sim.PoolFit;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** Runs a workload on simulated ranks, writes and verifies the journal, and prints the report. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox simulate [OPTIONS]",
    header = "Run a workload on simulated ranks, print the report, write and verify the journal.",
    description = {
        "%nThe scheduler is the code that an engine embeds; time is virtual. The same options and seed give the same " +
            "bytes on standard output and the same journal digest. Wall-clock figures are printed to standard error; " +
            "in JSON they are in the object wallClock."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox simulate --model qwen3-235b --gpu h200 --parallel tp8ep8 --engine vllm",
        "  signalbox simulate --trace trace.jsonl.gz --block-size 512 --journal runs/trace --json",
        "  signalbox simulate --trace trace.jsonl.gz --slo ttft=3s,tpot=60ms --html run.html",
        "",
        "Exit codes: 0 done and verified; 1 the journal does not verify; 2 usage or environment error:",
        "            options, input, files, disk or memory; 3 internal error."})
public final class SimulateCommand implements Callable<Integer>
{
    private static final String NAME = "signalbox simulate";
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final Console console;
    @Spec
    private CommandSpec spec;
    private final Function<SchedulerConfig, Scheduler> verifyingScheduler;

    private int ringSlots;

    /** How a run leaves the range of the measurements of its step times. */
    private Function<RunReport, List<String>> extrapolations;

    @OptionGroup("Workload")
    private final WorkloadOptions workloadOptions = new WorkloadOptions();

    @OptionGroup("Scheduler")
    private final SchedulerOptions schedulerOptions = new SchedulerOptions();

    @OptionGroup("Costs of simulated ranks")
    private final CostOptions costOptions = new CostOptions();

    @OptionGroup("Deployment whose step times are simulated")
    private final DeploymentOptions deploymentOptions = new DeploymentOptions();

    @OptionGroup("Journal")
    private final JournalOptions journalOptions = new JournalOptions();

    @OptionGroup("Retention of the journal")
    private final RetentionOptions retentionOptions = new RetentionOptions();

    @Option(names = "--threaded", description = "Use the threaded engine; the journal is identical.")
    private boolean threaded;

    private final SettingOptions run = SettingOptions.of(List.of(SimulationConfig.SEED, EngineConfig.INGRESS_SLOTS));

    @Mixin
    private final ListedRouters routers = new ListedRouters();

    @Mixin
    private final GoodputOption goodput = new GoodputOption();

    @Mixin
    private final HtmlOption html = new HtmlOption();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public SimulateCommand(final Console console)
    {
        this(console, Scheduler::new);
    }

    /** @param verifyingScheduler makes the scheduler that verifies the journal; tests plant an error in it. */
    public SimulateCommand(final Console console, final Function<SchedulerConfig, Scheduler> verifyingScheduler)
    {
        this.console = console;
        this.verifyingScheduler = verifyingScheduler;
    }

    @Override
    public Integer call()
    {
        if (routers.isAsked())
        {
            return InstalledRouters.print(console, jsonOptions, routers.routers());
        }
        if (deploymentOptions.listsModels())
        {
            return MeasuredModels.print(console, jsonOptions);
        }
        // Checked before the engine's own check, so that a wrong size leaves no empty journal.
        ringSlots = run.get(EngineConfig.INGRESS_SLOTS);
        refuseIdle(spec.commandLine().getParseResult());
        journalOptions.check(retentionOptions.limits());
        html.check(journalOptions);
        final CostFile served = served();
        final SchedulerConfig config = config(served);
        final long seed = run.get(SimulationConfig.SEED);
        final Workload workload = workload(seed, seed);
        final Simulation simulation = simulation(config, served, workload);
        MemoryNeed.check(config, workload, MachineMemory.limits());
        reportFallback(config);
        final int longest = workload.requests().stream().mapToInt(WorkloadRequest::promptTokens).max().orElse(0);
        extrapolations = report -> served == null ? List.of() :
            deploymentOptions.extrapolations(served, longest, report.steps().mostRequests());
        try (OutputFile file = jsonOptions.reserve(RunDocument.bytes(config)); OutputFile page = html.reserve())
        {
            return run(simulation, workload.requests().size(), file, page);
        }
    }

    /** The scheduler that the options describe. @throws io.signalbox.ConfigException if they do not fit together. */
    SchedulerConfig config()
    {
        refuseIdle(spec.commandLine().getParseResult());
        final CostFile served = served();
        final SchedulerConfig config = config(served);
        costs(config, served);
        return config;
    }

    /** The run that the options describe, with requests that {@link #workload} gave for the same options. */
    Simulation simulation(final Workload workload)
    {
        final CostFile served = served();
        return simulation(config(served), served, workload);
    }

    private Simulation simulation(final SchedulerConfig config, final CostFile served, final Workload workload)
    {
        PoolFit.check(workload, config, workload::placeOf);
        return new Simulation(config, costs(config, served), workload).judging(goodput.level());
    }

    /**
     * The requests that the options describe.
     *
     * @param unspread the seed that leaves the arrivals of a trace as they are.
     */
    Workload workload(final long seed, final long unspread)
    {
        return HeapShortage.named(
            workloadOptions.source(), workloadOptions.remedy(), () -> workloadOptions.workload(seed, unspread));
    }

    /** {@code null} if no deployment determines the step times. */
    private CostFile served()
    {
        return deploymentOptions.isGiven() ? deploymentOptions.cost() : null;
    }

    private SchedulerConfig config(final CostFile served)
    {
        final SchedulerConfig config = schedulerOptions.config(routers.routers());
        if (served == null)
        {
            deploymentOptions.deployment();
            return config;
        }
        return deploymentOptions.apply(config, served, spec.commandLine().getParseResult());
    }

    private SimulationConfig costs(final SchedulerConfig config, final CostFile served)
    {
        final SimulationConfig costs = costOptions.config(run.get(SimulationConfig.SEED));
        return served == null ? costs : deploymentOptions.apply(costs, served, config, spec.commandLine().getParseResult());
    }

    /** @throws io.signalbox.ConfigException if an option has no effect. */
    private void refuseIdle(final ParseResult given)
    {
        workloadOptions.refuseIdle(given);
        schedulerOptions.refuseIdle(given);
        costOptions.refuseIdle(given);
        SettingOptions.refuseIdle(workloadOptions, schedulerOptions, costOptions, journalOptions);
        if (!threaded)
        {
            IdleOptions.refuse(given, "--ring-size", "is for --threaded, which is not given");
        }
    }

    /** Reports a router that falls back to another one; every journaled decision names the one that decided. */
    private void reportFallback(final SchedulerConfig config)
    {
        final DpRouterProvider asked = config.router().provider();
        final DpRouterProvider used = config.router().deciding(config.prefixCaching());
        if (used != asked)
        {
            console.err().println("signalbox simulate: the " + asked.label() + " router needs cached prefixes, and prefix " +
                "caching is off; the " + used.label() + " router decides.");
        }
    }

    private WrittenJournal written()
    {
        return new WrittenJournal(console, NAME, journalOptions, progressOption);
    }

    private int run(final Simulation simulation, final int requests, final OutputFile file, final OutputFile page)
    {
        final DeferredJournal journal =
            journalOptions.journal(simulation::settings, routers.routers(), written());
        final long startNanos = System.nanoTime();
        final RunReport ended = run(simulation, journal);
        final WallClock wallClock = WallClock.of(ended, System.nanoTime() - startNanos);
        final JournalFacts facts = journal == null ? null : facts(journal.writer(),
            written().verify(journal.writer(), routers.routers(), verifyingScheduler));
        final RunReport report =
            ended.withNotSubmitted(requests - ended.requests().submitted(), workloadOptions.leftOut());
        jsonOptions.print(console, file,
            () -> JsonDocument.text(RunDocument.of(report, facts, simulation.settings(), wallClock)
                .withExtrapolated(extrapolations.apply(report))),
            () -> print(report, wallClock, facts));
        written().write(page, facts, report, simulation.settings(), goodput.level());
        return conclude(facts);
    }

    private RunReport run(final Simulation simulation, final DeferredJournal journal)
    {
        try (StopNotice notice = new StopNotice("simulate", console.err());
            Progress progress = progressOption.show(console, NAME))
        {
            // The threaded engine has a thread for the journal.
            return simulation.run(engines(journal, notice), journal, threaded ? null : WriteBehind::of,
                (ended, total, nanos) -> progress.show(ended, total, () -> Decimals.grouped(ended) + " of " +
                    Decimals.grouped(total) + " requests, " + nanos / NANOS_PER_SECOND + " s simulated"));
        }
    }

    private int conclude(final JournalFacts journal)
    {
        if (journal == null || journal.verdict().problem() == null)
        {
            return ExitCode.OK;
        }
        final int exitCode = WrittenJournal.exitCode(journal.verdict());
        final boolean unread = exitCode == ExitCode.BAD_INPUT;
        final CommandFailure refusal = new CommandFailure(exitCode, "the journal " + journal.path() +
            (unread ? " was not verified: " + journal.verdict().problem() + " Repeat it with 'signalbox replay " :
                " does not verify; see 'signalbox replay ") + journal.path() + " --verify'" +
            (unread ? "." : ", and please report it."));
        return refusal.print(console, NAME);
    }

    private static JournalFacts facts(final JournalWriter writer, final Verdict verdict)
    {
        return new JournalFacts(
            writer.path(), writer.records(), writer.groups(), writer.bytes(), writer.digest(), verdict);
    }

    private void print(final RunReport report, final WallClock wallClock, final JournalFacts journal)
    {
        ReportText.print(console.out(), report, journal, extrapolations.apply(report));
        console.out().flush();
        console.err().printf("%nwall clock        %s s for the run%s, without verifying: %s requests/s, " +
            "%s times faster than the simulated time%n",
            Decimals.text(wallClock.wallNanos() / 1e9, 2), journal == null ? "" : " and writing its journal",
            Decimals.text(wallClock.requestsPerSecond(), 0), Decimals.text(wallClock.simulatedOverWall(), 1));
        if (journal != null)
        {
            written().print(journal.path());
        }
    }

    private EngineFactory engines(final DeferredJournal journal, final StopNotice notice)
    {
        return context ->
        {
            context.ingressSlots(ringSlots).trackSlots(ringSlots);
            final Engine engine = threaded ? new ThreadedEngine(context) : new SteppedEngine(context);
            if (journal == null)
            {
                return engine;
            }
            try
            {
                journal.open();
                notice.arm(journal.writer().path());
                return engine;
            }
            catch (final RuntimeException | Error e)
            {
                engine.close();
                throw e;
            }
        };
    }
}
