// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.engine.Engine;
import io.signalbox.engine.EngineContext;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.ThreadedEngine;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.ReadProgress;
import io.signalbox.report.RunReport;
import io.signalbox.report.WallClock;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.EngineFactory;
import io.signalbox.sim.PoolFit;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.Workload;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;
import java.util.function.Function;

/** Runs a workload on simulated ranks, keeps the journal, verifies it, and prints the report. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 110,
    customSynopsis = "signalbox simulate [OPTIONS]",
    header = "Run a workload on simulated ranks, print the report, keep and verify the journal.",
    description = {
        "%nEvery decision is made by the same scheduler code that an engine embeds, in virtual time. The same options and " +
            "seed give the same bytes on standard output and the same journal digest; wall-clock figures go to standard " +
            "error, or to the object wallClock of the JSON form."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox simulate",
        "  signalbox simulate --ranks 16 --router kv-aware --beta 0.5 --seed 7",
        "  signalbox simulate --plugins my-router.jar --router my-router",
        "  signalbox simulate --workload closed-loop --block-size 64 --lock-step --no-capture",
        "  signalbox simulate --conversations 100 --arrivals bursty:20,3 --turns zipf:1.2,1,40",
        "  signalbox simulate --trace trace.jsonl.gz --block-size 512 --journal runs/trace --json",
        "",
        "Exit codes: 0 done and verified; 1 the journal does not verify; 2 something to mend outside: options, input,",
        "            files, disk, memory; 3 an internal error."})
final class SimulateCommand implements Callable<Integer>
{
    private final Console console;
    @Spec
    private CommandSpec spec;
    private final Function<SchedulerConfig, Scheduler> verifyingScheduler;

    @ArgGroup(validate = false, heading = "%nWorkload:%n", order = 1)
    private final WorkloadOptions workloadOptions = new WorkloadOptions();

    @ArgGroup(validate = false, heading = "%nScheduler:%n", order = 2)
    private final SchedulerOptions schedulerOptions = new SchedulerOptions();

    @ArgGroup(validate = false, heading = "%nSimulated ranks:%n", order = 3)
    private final CostOptions costOptions = new CostOptions();

    @ArgGroup(validate = false, heading = "%nJournal:%n", order = 4)
    private final JournalOptions journalOptions = new JournalOptions();

    @Option(names = "--seed", paramLabel = "N",
        description = "Of workload, sampled tokens and routed experts (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--threaded", description = "Put the engine's rings and threads in between; the journal stays the same.")
    private boolean threaded;

    @Option(names = "--ring-size", paramLabel = "SLOTS",
        description = "Slots of each ring with --threaded, a power of two (default: ${DEFAULT-VALUE}).")
    private int ringSlots = 1024;

    @Option(names = "--json", description = "Print one JSON object instead of tables.")
    private boolean asJson;

    SimulateCommand(final Console console)
    {
        this(console, Scheduler::new);
    }

    /** @param verifyingScheduler what the journal is verified with; the scheduler itself, unless a test plants an error. */
    SimulateCommand(final Console console, final Function<SchedulerConfig, Scheduler> verifyingScheduler)
    {
        this.console = console;
        this.verifyingScheduler = verifyingScheduler;
    }

    @Override
    public Integer call()
    {
        if (schedulerOptions.listsRouters())
        {
            RouterList.print(console.out(), schedulerOptions.known());
            return ExitCode.OK;
        }
        IdleOptions.refuse(spec.commandLine().getParseResult());
        refuseRingSize();
        journalOptions.check();
        final SchedulerConfig config = schedulerOptions.config();
        final SimulationConfig costs = costOptions.config(seed);
        final Workload workload = HeapShortage.named(
            workloadOptions.source(), workloadOptions.remedy(), () -> workloadOptions.workload(seed));
        OptionNames.translate(() ->
        {
            PoolFit.check(workload, config, workload::placeOf);
            return null;
        });
        MemoryNeed.check(config, workload, Runtime.getRuntime().maxMemory());
        tellFallback(config);
        return run(new Simulation(config, costs, workload), workload.requests().size());
    }

    /** A router that falls back to another says so, here once and in every journaled decision. */
    private void tellFallback(final SchedulerConfig config)
    {
        final DpRouterProvider asked = config.router().provider();
        final DpRouterProvider used = config.router().deciding(config.prefixCaching());
        if (used != asked)
        {
            console.err().println("signalbox simulate: the " + asked.label() + " router needs cached prefixes, and prefix " +
                "caching is off; the " + used.label() + " router decides.");
        }
    }

    private int run(final Simulation simulation, final int requests)
    {
        final DeferredJournal journal = journalOptions.isWanted()
            ? new DeferredJournal(() -> journalOptions.open(simulation.settings()), journalOptions::removeMade)
            : null;
        final long startNanos = System.nanoTime();
        final RunReport report = CostOptions.translate(() -> run(simulation, journal));
        final WallClock wallClock = WallClock.of(report, System.nanoTime() - startNanos);
        final JournalFacts facts = journal == null ? null : facts(journal.writer(), verify(journal.writer()));
        final Asked asked = new Asked(workloadOptions.leftOut(), requests - report.requests().submitted());
        print(simulation, report, asked, wallClock, facts);
        return conclude(facts);
    }

    /** Checked ahead of the engine's own check, so that a wrong size leaves no empty journal behind. */
    private void refuseRingSize()
    {
        if (ringSlots < EngineContext.MIN_RING_SLOTS || ringSlots > EngineContext.MAX_RING_SLOTS ||
            Integer.bitCount(ringSlots) != 1)
        {
            throw new ConfigException("--ring-size=" + ringSlots + " is not a power of two between " +
                EngineContext.MIN_RING_SLOTS + " and " + EngineContext.MAX_RING_SLOTS + "; give the slots of each ring.");
        }
    }

    private RunReport run(final Simulation simulation, final DeferredJournal journal)
    {
        final ProgressLine line = new ProgressLine(console.err());
        try (StopNotice notice = new StopNotice(console.err()))
        {
            return simulation.run(engines(journal, notice), journal, console.terminal() ? line : SimulationProgress.NONE);
        }
        finally
        {
            line.wipe();
        }
    }

    private Verdict verify(final JournalWriter writer)
    {
        if (!journalOptions.verifies())
        {
            return Verdict.NOT_ASKED;
        }
        final ProgressLine line = new ProgressLine(console.err());
        if (console.terminal())
        {
            line.show("verifying " + Decimals.grouped(writer.records()) + " records");
        }
        try
        {
            return Verdict.of(writer, JournalVerifier.verifyTo(
                writer.path(), Long.MAX_VALUE, schedulerOptions.known(), verifyingScheduler, ReadProgress.NONE));
        }
        // The run is over and its report is worth having, whatever became of the journal.
        catch (final JournalException | OutOfMemoryError e)
        {
            return Verdict.unread(Refusal.of(e));
        }
        finally
        {
            line.wipe();
        }
    }

    private int conclude(final JournalFacts journal)
    {
        if (journal == null || journal.verdict().problem() == null)
        {
            return ExitCode.OK;
        }
        final boolean unread = journal.verdict().exitCode() == ExitCode.BAD_INPUT;
        final Refusal refusal = new Refusal(journal.verdict().exitCode(), "the journal " + journal.path() +
            (unread ? " was not verified: " + journal.verdict().problem() + " Repeat it with 'signalbox replay " :
                " does not verify; see 'signalbox replay ") + journal.path() + " --verify'" +
            (unread ? "." : ", and please report it."));
        return refusal.print(console, "signalbox simulate");
    }

    private static JournalFacts facts(final JournalWriter writer, final Verdict verdict)
    {
        return new JournalFacts(
            writer.path(), writer.records(), writer.groups(), writer.bytes(), writer.digest(), verdict);
    }

    private void print(
        final Simulation simulation,
        final RunReport report,
        final Asked asked,
        final WallClock wallClock,
        final JournalFacts journal)
    {
        if (asJson)
        {
            ReportJson.print(console, simulation.settings(), report, asked, journal, wallClock);
            return;
        }
        ReportText.print(console.out(), report, asked, journal);
        console.out().flush();
        console.err().printf("%nwall clock        %s s for the run%s, without verifying: %s requests/s, " +
            "%s times faster than the simulated time%n",
            Decimals.text(wallClock.wallNanos() / 1e9, 2), journal == null ? "" : " and writing its journal",
            Decimals.text(wallClock.requestsPerSecond(), 0), Decimals.text(wallClock.simulatedOverWall(), 1));
        if (journal != null)
        {
            console.err().printf("journal           %s%n", journal.path());
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
