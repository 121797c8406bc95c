// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.backend.Backend;
import io.signalbox.cli.options.JournalOptions;
import io.signalbox.cli.options.ModelOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.PromptOptions;
import io.signalbox.cli.options.ServingOptions;
import io.signalbox.cli.printing.CommandFailure;
import io.signalbox.cli.printing.Console;
import io.signalbox.cli.printing.Decimals;
import io.signalbox.cli.printing.ExitCode;
import io.signalbox.cli.printing.JournalFacts;
import io.signalbox.cli.printing.OutputFile;
import io.signalbox.cli.printing.Progress;
import io.signalbox.cli.printing.PromptAnswer;
import io.signalbox.cli.printing.PromptAnswers;
import io.signalbox.cli.printing.ReadingProgress;
import io.signalbox.cli.printing.ReportText;
import io.signalbox.cli.printing.StopNotice;
import io.signalbox.cli.printing.Verdict;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.DeferredJournal;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.JournalWriter;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelMemory;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.report.ReportListener;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.ChunkedRowsTap;
import io.signalbox.workload.PromptLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** Serves prompts with a real model, writes and verifies the journal, and prints answers and report. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox run [OPTIONS]",
    header = "Serve prompts with a real MoE model, print answers and report, write and verify the journal.",
    description = {
        "%nThe model runs on the processor, or on another backend. Without options a tiny model with random weights, " +
            "which is built in, answers built-in prompts. The tokens of an answer depend on the model, its prompt and its " +
            "sampling alone: not on batches, ranks, threads or prefix hits."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox run",
        "  signalbox run --model models/olmoe --prompts prompts.jsonl --output answers.jsonl",
        "  signalbox run --model models/olmoe --prompts prompts.jsonl --output answers.jsonl --experts",
        "  signalbox run --temperature 0.8 --top-p 0.95 --seed 7 --max-new-tokens 100",
        "",
        "Exit codes: 0 done and verified; 1 a request failed or the journal does not verify; 2 usage or",
        "            environment error: options, model, files, disk or memory; 3 internal error."})
public final class RunCommand implements Callable<Integer>
{
    private static final String NAME = "signalbox run";
    private static final String VECTORS = "jdk.incubator.vector";
    /** Weights from which products take longer than the compilation of vector code. */
    private static final long WORTH_VECTORS = 50_000_000;
    private static final int MAX_SHOWN = 16;

    private final Console console;

    @ArgGroup(validate = false, heading = "%nModel:%n", order = 1)
    private final ModelOptions modelOptions = new ModelOptions();

    @ArgGroup(validate = false, heading = "%nPrompts and sampling:%n", order = 2)
    private final PromptOptions promptOptions = new PromptOptions();

    @ArgGroup(validate = false, heading = "%nScheduler and backend:%n", order = 3)
    private final ServingOptions servingOptions = new ServingOptions();

    @ArgGroup(validate = false, heading = "%nJournal:%n", order = 4)
    private final JournalOptions journalOptions = new JournalOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    private final List<PromptAnswer> shown = new ArrayList<>();
    private final StringBuilder lines = new StringBuilder();
    private int incomplete;
    private volatile Progress loading;
    private long totalBytes;
    private long copiedBytes;

    public RunCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        journalOptions.check();
        promptOptions.check(servingOptions.captures());
        journalOptions.requireApart("--output", promptOptions.output());
        servingOptions.requireNotRead("--output", promptOptions.output());
        servingOptions.settings();
        final ModelWeights weights = modelOptions.weights(this::copied);
        final DecoderPlan plan = weights.plan();
        final SchedulerConfig config = servingOptions.config(plan);
        final List<PromptLine> prompts = promptOptions.read(plan);
        final List<CompletionRequest> requests = new ArrayList<>();
        for (int i = 0; i < prompts.size(); i++)
        {
            requests.add(promptOptions.request(prompts.get(i), i, plan, config));
        }
        checkMemory(plan, config);
        try (OutputFile file = promptOptions.reserve())
        {
            final RunClock clock = new RunClock();
            return run(load(weights, clock), clock, plan, config, prompts, requests, file);
        }
    }

    private void checkMemory(final DecoderPlan plan, final SchedulerConfig config)
    {
        final ModelMemory memory =
            ModelMemory.of(plan, (long)config.ranks() * config.kvBlocks() * config.blockSizeTokens());
        console.err().println("model             " + plan.family().modelType() + ", " +
            Decimals.grouped(plan.parameters()) + " weights as " + plan.type().configName() + ", " + plan.layers() +
            " layers, " + plan.experts().topK() + " of " + plan.experts().experts() + " experts; memory: at most " +
            memory.text());
        console.err().println("products          " + ForwardPass.arithmetic() + (plan.parameters() < WORTH_VECTORS ||
            ModuleLayer.boot().findModule(VECTORS).isPresent() ? "" :
            "; JDK_JAVA_OPTIONS=--add-modules=" + VECTORS + " makes a model of this size some times quicker"));
        memory.check(Runtime.getRuntime().maxMemory(), MachineMemory.bytes());
    }

    private Backend load(final ModelWeights weights, final RunClock clock)
    {
        totalBytes = weights.plan().parameters() * weights.plan().type().bytes();
        try (Progress progress = progressOption.show(console, NAME + ", loading"))
        {
            loading = progress;
            return servingOptions.backend(weights, clock);
        }
        finally
        {
            loading = null;
        }
    }

    /** A backend may copy weights in several threads, or again when it starts. */
    private synchronized void copied(final long bytes)
    {
        copiedBytes += bytes;
        if (loading != null)
        {
            loading.show(copiedBytes, totalBytes, () -> Decimals.bytes(copiedBytes) + " of " + Decimals.bytes(totalBytes));
        }
    }

    private int run(
        final Backend backend, final RunClock clock, final DecoderPlan plan, final SchedulerConfig config,
        final List<PromptLine> prompts, final List<CompletionRequest> requests, final OutputFile file)
    {
        final ReportListener report = new ReportListener(config).fromFirstRequest();
        final EngineConfig engine = new EngineConfig().scheduler(config).backend(backend).clock(clock).listener(report)
            .vocabularySize(plan.vocabulary()).ingressSlots(ingressSlots(config));
        final DeferredJournal journal = journalOptions.isWanted() ?
            new DeferredJournal(() -> journalOptions.open(settings(engine, plan)), journalOptions::removeMade) :
            null;
        engine.journal(new ChunkedRowsTap(journal == null ? GroupJournal.NONE : journal, report));
        try
        {
            serve(engine, journal, clock, prompts, requests);
        }
        finally
        {
            write(file);
        }
        final long wallNanos = clock.getAsLong();
        final JournalFacts facts = journal == null ? null : facts(journal.writer(), verify(journal.writer()));
        PromptAnswers.print(console.out(), shown, prompts.size());
        ReportText.printServed(console.out(), report.report(), facts);
        console.out().flush();
        console.err().printf("%nwall clock        %s s%n", Decimals.text(wallNanos / 1e9, 2));
        if (facts != null)
        {
            console.err().printf("journal           %s%n", facts.path());
        }
        return conclude(facts);
    }

    /** Room for the reports of all steps in flight, and as much for clients. */
    private static int ingressSlots(final SchedulerConfig config)
    {
        return Math.max(EngineConfig.INGRESS_SLOTS.defaultValue(),
            2 * Integer.highestOneBit(4 * config.ranks() * Math.max(1, config.depth())));
    }

    /** Everything that the run depends on. */
    private Map<String, String> settings(final EngineConfig engine, final DecoderPlan plan)
    {
        final Map<String, String> settings = new TreeMap<>(engine.runSettings());
        settings.putAll(modelOptions.settings(plan));
        settings.putAll(servingOptions.settings());
        return settings;
    }

    private void serve(
        final EngineConfig config, final DeferredJournal journal, final RunClock clock, final List<PromptLine> prompts,
        final List<CompletionRequest> requests)
    {
        if (journal != null)
        {
            journal.open();
        }
        clock.start();
        try (StopNotice notice = new StopNotice(NAME, console.err());
            Progress progress = progressOption.show(console, NAME);
            SignalboxEngine engine = launch(config, journal))
        {
            if (journal != null)
            {
                notice.arm(journal.writer().path());
            }
            final int[] ended = new int[1];
            new PromptRun(engine, promptOptions.experts(), promptOptions.logprobs(), answer ->
            {
                keep(answer);
                ended[0]++;
                progress.show(ended[0], prompts.size(), () -> Decimals.grouped(ended[0]) + " of " +
                    Decimals.grouped(prompts.size()) + " prompts");
            }).run(prompts, requests);
        }
    }

    /** An engine that cannot be launched leaves no journal. */
    private static SignalboxEngine launch(final EngineConfig config, final DeferredJournal journal)
    {
        try
        {
            return SignalboxEngine.launch(config);
        }
        catch (final RuntimeException | Error e)
        {
            if (journal != null)
            {
                journal.close();
            }
            throw e;
        }
    }

    private void keep(final PromptAnswer answer)
    {
        incomplete += answer.isComplete() ? 0 : 1;
        if (shown.size() < MAX_SHOWN)
        {
            shown.add(answer);
        }
        if (promptOptions.output() != null)
        {
            lines.append(PromptAnswers.json(answer));
        }
    }

    /** Answers that came before the engine failed are kept. */
    private void write(final OutputFile file)
    {
        if (file != null && lines.length() > 0)
        {
            file.write(lines.toString());
        }
    }

    private Verdict verify(final JournalWriter writer)
    {
        if (!journalOptions.verifies())
        {
            return Verdict.NOT_ASKED;
        }
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME + ", verifying")))
        {
            return Verdict.of(writer, JournalVerifier.verifyTo(
                writer.path(), Long.MAX_VALUE, servingOptions.knownRouters(), Scheduler::new, progress));
        }
        // The run has ended: its report is printed even if the journal cannot be read.
        catch (final JournalException | OutOfMemoryError e)
        {
            return Verdict.unread(CommandFailure.of(e));
        }
    }

    private static JournalFacts facts(final JournalWriter writer, final Verdict verdict)
    {
        return new JournalFacts(
            writer.path(), writer.records(), writer.groups(), writer.bytes(), writer.digest(), verdict);
    }

    private int conclude(final JournalFacts journal)
    {
        if (journal != null && journal.verdict().problem() != null)
        {
            return new CommandFailure(journal.verdict().exitCode(), "the journal " + journal.path() + " is not confirmed: " +
                journal.verdict().problem() + "; see 'signalbox replay " + journal.path() + " --verify'.")
                .print(console, NAME);
        }
        if (incomplete > 0)
        {
            return new CommandFailure(ExitCode.CHECK_FAILED, Decimals.grouped(incomplete) +
                " prompts have no complete answer; see their finish_reason in the file of --output, or the journal.")
                .print(console, NAME);
        }
        return ExitCode.OK;
    }
}
