// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.CommandFailure;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.options.ChosenBackend;
import io.signalbox.cli.options.CostOptions;
import io.signalbox.cli.options.DeploymentOptions;
import io.signalbox.cli.options.HttpOptions;
import io.signalbox.cli.options.JournalOptions;
import io.signalbox.cli.options.ListedRouters;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.PaceOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.PromptTokenizer;
import io.signalbox.cli.options.RetentionOptions;
import io.signalbox.cli.options.SchedulerOptions;
import io.signalbox.cli.options.ServedModelOptions;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.cost.CostFile;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.GroupListener;
import io.signalbox.engine.RunJournal;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.ReadProgress;
import io.signalbox.model.DecoderPlan;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.ModelsDocument;
import io.signalbox.printing.RouterList;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.ServedModel;
import io.signalbox.server.ServerConfig;
import io.signalbox.server.SignalboxServer;
import io.signalbox.server.kvevents.KvEvents;
import io.signalbox.server.text.ModelText;
import io.signalbox.server.text.SimulatedText;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Serves clients over HTTP until it is stopped. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox serve [OPTIONS]",
    header = "Serve clients over HTTP with OpenAI's API, until the process is stopped.",
    description = {
        "%nThe scheduler is the code that an engine embeds. A step of a simulated rank takes as long as its costs say, on " +
            "the clock. Answers are made-up words; the same prompt at temperature 0 has the same answer. With --backend, " +
            "ranks compute the checkpoint in the directory of --model, and clients get its answers. SIGTERM and " +
            "Ctrl-C end the server in order: it finishes requests that are under way and seals the journal."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox serve",
        "  signalbox serve --port 0 --ranks 2 --time-scale 10 --no-journal",
        "  signalbox serve --backend cpu --model models/olmoe",
        "  signalbox serve --journal runs/served       continues the run that is there, also after a crash",
        "",
        "Exit codes: 0 stopped in order; 1 the engine failed; 2 usage or environment error: options, journal,",
        "            address, disk or memory; 3 internal error."})
public final class ServeCommand implements Callable<Integer>
{
    private static final String NAME = "signalbox serve";

    private final Console console;
    @Spec
    private CommandSpec spec;

    @OptionGroup("Server")
    private final HttpOptions httpOptions = new HttpOptions();

    @OptionGroup("Model that ranks compute")
    private final ServedModelOptions modelOptions = new ServedModelOptions();

    @OptionGroup("Pace and answers of simulated ranks")
    private final PaceOptions paceOptions = new PaceOptions();

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

    private final SettingOptions run = SettingOptions.of(List.of(SimulationConfig.SEED))
        .helped(SimulationConfig.SEED, "Seed answers and routed experts with N");

    @Mixin
    private final ListedRouters plugins = new ListedRouters();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    /** Completes when the server is to stop; exceptionally if the engine has failed. */
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    public ServeCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (plugins.isAsked())
        {
            RouterList.print(console.out(), routers());
            return ExitCode.OK;
        }
        if (deploymentOptions.listsModels())
        {
            ModelsDocument.standard().print(console.out());
            return ExitCode.OK;
        }
        refuseIdle(spec.commandLine().getParseResult());
        journalOptions.checkContinued(retentionOptions.limits());
        final RunClock clock = new RunClock();
        final ServedRanks ranks = modelOptions.isComputed() ? computed(clock) : simulated();
        try
        {
            return serve(ranks, clock);
        }
        finally
        {
            ranks.onClose().run();
        }
    }

    private int serve(final ServedRanks ranks, final RunClock clock)
    {
        final ServerConfig config = httpOptions.config(ranks.model(), ranks.scheduler());
        final EngineConfig engine = new EngineConfig().scheduler(ranks.scheduler()).clock(clock)
            .backend(modelOptions.replaceable(ranks.backend(), config)).vocabularySize(config.vocabularySize())
            .submitWait(SignalboxServer.SUBMIT_WAIT).drainTimeout(Duration.ZERO)
            .failureListener(stopped::completeExceptionally);
        final KvEvents events = httpOptions.kvEvents(ranks.scheduler());
        if (events != null)
        {
            config.kvEvents(events);
        }
        if (!modelOptions.isComputed())
        {
            config.simulated(run.get(SimulationConfig.SEED));
        }
        config.check();
        final Path journal = journalOptions.continuedDirectory();
        final GroupListener recent = config.requests(ranks.scheduler(), journal);
        engine.listener(events == null ? recent : recent.andThen(events));
        if (journal != null)
        {
            engine.runJournal(journal(journal, ranks.settings()));
        }
        try
        {
            return serve(engine, config, journal, ranks);
        }
        finally
        {
            journalOptions.removeMade();
        }
    }

    private ServedRanks simulated()
    {
        final CostFile served = deploymentOptions.isGiven() ? deploymentOptions.cost() : null;
        final SchedulerConfig scheduler = scheduler(served);
        final PacedBackend backend = paceOptions.backend(costs(scheduler, served), scheduler);
        final int layers = scheduler.capture() == null ? 1 : Collections.max(scheduler.capture().layerIds()) + 1;
        final ServedModel model = new ServedModel(ServedModel.NAMES.defaultValue(),
            ServedModel.CONTEXT_TOKENS.defaultValue(), layers, new SimulatedText());
        return new ServedRanks(backend, scheduler, model, backend.settings(), null, true, () -> { });
    }

    /** Ranks that compute the checkpoint of {@code --model}, or random weights. */
    private ServedRanks computed(final RunClock clock)
    {
        final ChosenBackend chosen = modelOptions.backend(plugins.jars());
        final Path directory = deploymentOptions.computed();
        final ModelLoading loading = new ModelLoading(console, progressOption, NAME);
        final LoadedModel model = new LoadedModel(chosen, modelOptions.weights(directory, loading), loading);
        final DecoderPlan plan = model.plan();
        final SchedulerConfig scheduler = schedulerOptions.config(routers(), plan);
        final List<String> memory = model.memory(scheduler);
        final PromptTokenizer tokenizer = modelOptions.tokenizer(directory, plugins.jars(), plan);
        final ModelText text =
            ModelText.of(tokenizer, plan.vocabulary(), ServedModelOptions.endTokens(directory), directory);
        memory.forEach(console.err()::println);
        final String advice = model.advice(scheduler);
        if (advice != null)
        {
            console.err().println("advice            " + advice);
        }
        final String name = directory == null ? plan.family().modelType() :
            directory.toAbsolutePath().normalize().getFileName().toString();
        return new ServedRanks(model.create(clock, text.endTokens()), scheduler,
            new ServedModel(List.of(name), plan.maxPositions(), plan.layers(), text),
            model.settings(modelOptions.settings(directory, plan)), model, tokenizer.isOpen(), tokenizer::close);
    }

    private DpRouters routers()
    {
        return modelOptions.isComputed() ? ServedModelOptions.routers(plugins.jars()) : plugins.routers();
    }

    private SchedulerConfig scheduler(final CostFile served)
    {
        final SchedulerConfig config = schedulerOptions.config(routers());
        deploymentOptions.refuseWithoutModel();
        return served == null ? config : deploymentOptions.apply(config, served, spec.commandLine().getParseResult());
    }

    private SimulationConfig costs(final SchedulerConfig scheduler, final CostFile served)
    {
        final SimulationConfig costs = costOptions.config(run.get(SimulationConfig.SEED));
        return served == null ? costs :
            deploymentOptions.apply(costs, served, scheduler, spec.commandLine().getParseResult());
    }

    /** @throws io.signalbox.ConfigException if an option has no effect. */
    private void refuseIdle(final ParseResult given)
    {
        modelOptions.refuseIdle(given, paceOptions, costOptions);
        schedulerOptions.refuseIdle(given);
        costOptions.refuseIdle(given);
        SettingOptions.refuseIdle(httpOptions, paceOptions, schedulerOptions, costOptions, journalOptions);
    }

    /** The run also depends on what the simulated ranks answer. */
    private RunJournal journal(final Path place, final Map<String, String> settings)
    {
        return description ->
        {
            final Map<String, String> whole = new TreeMap<>(description);
            whole.putAll(settings);
            return journalOptions.continued(place, routers(),
                new WrittenJournal(console, NAME, journalOptions, progressOption), ReadProgress.NONE).open(whole);
        };
    }

    private int serve(
        final EngineConfig engineConfig, final ServerConfig config, final Path journal, final ServedRanks ranks)
    {
        StopSignals.handle(() -> stopped.complete(null));
        Throwable failure;
        try (SignalboxEngine engine = launch(engineConfig, ranks.loaded());
            SignalboxServer server = SignalboxServer.launch(engine, config))
        {
            print(server, config, journal, ranks.readsText());
            failure = stopped.handle((nothing, cause) -> cause).join();
            console.err().println(failure == null ? NAME + ": stopping; requests that are under way may finish." :
                NAME + ": the engine has failed.");
        }
        if (failure != null)
        {
            final String cause = "the engine failed: " + failure.getMessage();
            return new CommandFailure(ExitCode.CHECK_FAILED, journal == null ? cause :
                cause.replaceFirst("[.]$", "") + "; start the server again to continue the journal " + journal)
                .print(console, NAME);
        }
        if (journal != null)
        {
            console.err().println(NAME + ": stopped; the journal " + journal + " is sealed.");
        }
        return ExitCode.OK;
    }

    /** A backend on a device copies the weights when the engine starts it. */
    private static SignalboxEngine launch(final EngineConfig config, final LoadedModel loaded)
    {
        return loaded == null ? SignalboxEngine.launch(config) : loaded.loading(() -> SignalboxEngine.launch(config));
    }

    private void print(
        final SignalboxServer server, final ServerConfig config, final Path journal, final boolean readsText)
    {
        console.out().println("listening         " + server.address());
        console.out().println("model             " + config.modelName() + ", " + Decimals.grouped(config.contextTokens()) +
            " tokens of context");
        console.out().println("journal           " + (journal == null ? "none" : journal));
        console.out().println("try               curl " + server.address() + "/v1/completions -H 'Content-Type: " +
            "application/json' -d '{\"model\": \"" + config.modelName() + "\", \"prompt\": " +
            (readsText ? "\"Once upon a time\"" : "[1, 2, 3]") + "}'");
        console.out().flush();
    }
}
