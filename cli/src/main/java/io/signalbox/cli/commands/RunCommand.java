// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.cli.console.AnswerFile;
import io.signalbox.cli.console.CommandFailure;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.console.PromptAnswer;
import io.signalbox.cli.console.PromptAnswers;
import io.signalbox.cli.console.ServedDocument;
import io.signalbox.cli.options.ChosenBackend;
import io.signalbox.cli.options.GoodputOption;
import io.signalbox.cli.options.JournalOptions;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ModelOptions;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.PromptOptions;
import io.signalbox.cli.options.PromptTokenizer;
import io.signalbox.cli.options.RetentionOptions;
import io.signalbox.cli.options.ServingOptions;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.cli.options.output.HtmlOption;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.OrderedRequests;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.DeferredJournal;
import io.signalbox.journal.JournalWriter;
import io.signalbox.model.DecoderPlan;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JournalFacts;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.ReportText;
import io.signalbox.printing.RunDocument;
import io.signalbox.printing.Verdict;
import io.signalbox.report.ReportListener;
import io.signalbox.report.RunReport;
import io.signalbox.report.WallClock;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.ChunkedRowsTap;
import io.signalbox.state.RunFold;
import io.signalbox.workload.PromptLine;
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
        "  signalbox run --model models/olmoe --prompts prompts.jsonl --out answers.jsonl",
        "  signalbox run --model models/olmoe --prompts prompts.jsonl --out answers.jsonl --experts",
        "  signalbox run --temperature 0.8 --top-p 0.95 --seed 7 --max-new-tokens 100",
        "",
        "Exit codes: 0 done and verified; 1 a request failed or the journal does not verify; 2 usage or",
        "            environment error: options, model, files, disk or memory; 3 internal error."})
public final class RunCommand implements Callable<Integer>
{
    private static final String NAME = "signalbox run";
    private static final int MAX_SHOWN = 16;

    private final Console console;

    @OptionGroup("Model")
    private final ModelOptions modelOptions = new ModelOptions();

    @OptionGroup("Prompts and sampling")
    private final PromptOptions promptOptions = new PromptOptions();

    @OptionGroup("Scheduler and backend")
    private final ServingOptions servingOptions = new ServingOptions();

    @OptionGroup("Journal")
    private final JournalOptions journalOptions = new JournalOptions();

    @OptionGroup("Retention of the journal")
    private final RetentionOptions retentionOptions = new RetentionOptions();

    @Mixin
    private final GoodputOption goodput = new GoodputOption();

    @Mixin
    private final HtmlOption html = new HtmlOption();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    private final List<PromptAnswer> shown = new ArrayList<>();
    private PromptTokenizer tokenizer;
    private final List<PromptAnswer> failed = new ArrayList<>();
    private int incomplete;
    /** Of the checkpoint; none if an option names others. */
    private int[] endTokens;
    private LoadedModel model;
    private Map<String, String> description;
    private StoppedRun stopped;
    /** {@code null} if no page is asked for. */
    private OutputFile page;

    public RunCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        SettingOptions.refuseIdle(servingOptions);
        journalOptions.check(retentionOptions.limits());
        html.check(journalOptions);
        promptOptions.check(servingOptions.captures());
        servingOptions.checkPlugins();
        final ChosenBackend chosen = servingOptions.backend();
        final ModelLoading loading = new ModelLoading(console, progressOption, NAME);
        model = new LoadedModel(chosen, modelOptions.weights(loading), loading);
        final DecoderPlan plan = model.plan();
        final SchedulerConfig config = servingOptions.config(plan);
        // Before the prompts: in a small heap their refusal would ask for more KV blocks.
        final List<String> memory = model.memory(config);
        final PromptTokenizer texts = servingOptions.tokenizer(modelOptions.tokenizer(), plan);
        tokenizer = texts;
        if (modelOptions.namesTokenizer())
        {
            tokenizer.open();
        }
        final List<PromptLine> prompts = promptOptions.read(plan, tokenizer::encode);
        endTokens = promptOptions.namesStopTokens() ? new int[0] : modelOptions.endTokens();
        final List<CompletionRequest> requests = new ArrayList<>();
        for (int i = 0; i < prompts.size(); i++)
        {
            requests.add(promptOptions.request(prompts.get(i), i, plan, config));
        }
        try (texts; OutputFile document = jsonOptions.reserve(RunDocument.bytes(config)); OutputFile drawn = html.reserve())
        {
            page = drawn;
            memory.forEach(console.err()::println);
            advise(config);
            return run(config, prompts, requests, document);
        }
    }

    private int run(
        final SchedulerConfig config, final List<PromptLine> prompts, final List<CompletionRequest> requests,
        final OutputFile document)
    {
        try (AnswerFile file = promptOptions.answers();
            StoppedRun stop = new StoppedRun(console, file, promptOptions.output()))
        {
            stopped = stop;
            final RunClock clock = new RunClock();
            return run(model.create(clock, endTokens), clock, model.plan(), config, prompts, requests, file, document);
        }
    }

    private void advise(final SchedulerConfig config)
    {
        final String advice = model.advice(config);
        if (advice != null)
        {
            console.err().println("advice            " + advice);
        }
    }

    private int run(
        final Backend backend, final RunClock clock, final DecoderPlan plan, final SchedulerConfig config,
        final List<PromptLine> prompts, final List<CompletionRequest> requests, final AnswerFile file,
        final OutputFile document)
    {
        final ReportListener report = new ReportListener(config).judging(goodput.level());
        final EngineConfig engine = new EngineConfig().scheduler(config).backend(backend).clock(clock)
            .listener(RunFold.of(report)::onGroup)
            // Answers say why a request failed.
            .stepFailureListener(failure -> { })
            .vocabularySize(plan.vocabulary()).ingressSlots(ingressSlots(config));
        final DeferredJournal journal =
            journalOptions.journal(() -> description(engine, plan), servingOptions.knownRouters(), written());
        if (journal == null && (jsonOptions.isJson() || document != null))
        {
            description(engine, plan);
        }
        engine.journal(new ChunkedRowsTap(journal == null ? GroupJournal.NONE : journal, report));
        serve(engine, journal, clock, prompts, requests, file);
        stopped.journal(null);
        final long wallNanos = clock.getAsLong();
        final JournalFacts facts = journal == null ? null : facts(journal.writer(),
            written().verify(journal.writer(), servingOptions.knownRouters(), Scheduler::new));
        final RunReport figures = report.report();
        jsonOptions.print(console, document,
            () -> JsonDocument.text(ServedDocument.of(prompts.size(), incomplete, failed, RunDocument.of(
                figures.withNotSubmitted(0, 0), facts, description, WallClock.of(figures, wallNanos)))),
            () -> print(figures, facts, prompts.size(), wallNanos));
        written().write(page, facts, figures, description, goodput.level());
        return conclude(facts, prompts.size());
    }

    private void print(final RunReport report, final JournalFacts facts, final int prompts, final long wallNanos)
    {
        PromptAnswers.print(console.out(), shown, prompts);
        ReportText.printServed(console.out(), report, facts);
        console.out().flush();
        console.err().printf("%nwall clock        %s s%n", Decimals.text(wallNanos / 1e9, 2));
        if (facts != null)
        {
            written().print(facts.path());
        }
    }

    /** Room for the reports of all steps in flight, and as much for clients. */
    private static int ingressSlots(final SchedulerConfig config)
    {
        return Math.max(EngineConfig.INGRESS_SLOTS.defaultValue(),
            2 * Integer.highestOneBit(4 * config.ranks() * Math.max(1, config.depth())));
    }

    /** Everything that the run depends on; before the engine takes its configuration. */
    private Map<String, String> description(final EngineConfig engine, final DecoderPlan plan)
    {
        description = new TreeMap<>(engine.runSettings());
        description.putAll(model.settings(modelOptions.settings(plan)));
        return description;
    }

    private void serve(
        final EngineConfig config, final DeferredJournal journal, final RunClock clock, final List<PromptLine> prompts,
        final List<CompletionRequest> requests, final AnswerFile file)
    {
        if (journal != null)
        {
            journal.open();
            stopped.journal(journal.writer().path());
        }
        clock.start();
        final int[] ended = new int[1];
        // A backend on a device copies the weights when the engine starts it.
        try (SignalboxEngine engine = model.loading(() -> launch(config, journal));
            Progress progress = progressOption.show(console, NAME);
            OrderedRequests run = new OrderedRequests(engine, promptOptions.experts(), request ->
            {
                keep(answer(prompts.get(request.index()), request), file);
                ended[0]++;
                progress.show(ended[0], prompts.size(), () -> Decimals.grouped(ended[0]) + " of " +
                    Decimals.grouped(prompts.size()) + " prompts");
            }))
        {
            stopped.run(run);
            run.run(requests);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new ConfigException("the run was interrupted; start it again.");
        }
    }

    private PromptAnswer answer(final PromptLine prompt, final OrderedRequests.Ended request)
    {
        final Completion completion = request.completion();
        return new PromptAnswer(prompt.id(), prompt.prompt().length, completion,
            tokenizer.text(prompt.prompt(), completion.tokens()),
            promptOptions.logprobs() && !completion.isRefused() ? request.handle().logprobs() : null, request.rows(),
            completion.failure().map(Completion.StepFailure::sentence).orElse(null),
            request.firstNanos(), request.endNanos());
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

    /** Each answer is in the file when this returns. */
    private void keep(final PromptAnswer answer, final AnswerFile file)
    {
        incomplete += answer.isComplete() ? 0 : 1;
        if (shown.size() < MAX_SHOWN)
        {
            shown.add(answer);
        }
        if (answer.failure() != null && failed.size() < MAX_SHOWN)
        {
            failed.add(answer);
        }
        if (file != null)
        {
            file.write(PromptAnswers.json(answer));
        }
    }

    private WrittenJournal written()
    {
        return new WrittenJournal(console, NAME, journalOptions, progressOption);
    }

    private static JournalFacts facts(final JournalWriter writer, final Verdict verdict)
    {
        return new JournalFacts(
            writer.path(), writer.records(), writer.groups(), writer.bytes(), writer.digest(), verdict);
    }

    private int conclude(final JournalFacts journal, final int prompts)
    {
        if (journal != null && journal.verdict().problem() != null)
        {
            return new CommandFailure(WrittenJournal.exitCode(journal.verdict()), "the journal " + journal.path() +
                " is not confirmed: " + journal.verdict().problem() + "; see 'signalbox replay " + journal.path() +
                " --verify'.")
                .print(console, NAME);
        }
        if (incomplete > 0)
        {
            for (final PromptAnswer answer : failed)
            {
                new CommandFailure(ExitCode.CHECK_FAILED, "the prompt '" + answer.id() + "' failed: " + answer.failure())
                    .print(console, NAME);
            }
            return new CommandFailure(ExitCode.CHECK_FAILED, Decimals.grouped(incomplete) + " of " +
                Decimals.grouped(prompts) + " prompts have no complete answer; see their finish_reason in the file of " +
                "--out, or the journal.").print(console, NAME);
        }
        return ExitCode.OK;
    }
}
