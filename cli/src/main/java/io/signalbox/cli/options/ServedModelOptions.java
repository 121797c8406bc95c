// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.LoadProgress;
import io.signalbox.model.ModelWeights;
import io.signalbox.recompute.RecordedModel;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.server.ServerConfig;
import io.signalbox.serving.BackendProvider;
import io.signalbox.serving.ModelBackend;
import io.signalbox.serving.TokenizerProvider;
import io.signalbox.sim.SimulationConfig;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The model that the ranks of a server compute. Its directory is the value of another option. */
public final class ServedModelOptions extends RandomModel
{
    private static final String SIMULATED = "sim";
    private static final String BACKEND = "--backend";
    private static final List<String> OF_COMPUTED = List.of("--backend-options", "--random-model", "--model-seed",
        "--tokenizer");
    private static final List<String> OF_SIMULATED = List.of("--draft-acceptance-file", "--faults", "--new-weights", "--gpu",
        "--parallel", "--engine", "--precision", "--cost", ModelShape.MOE_LAYERS.option().name(),
        ModelShape.EXPERTS.option().name(), ModelShape.TOP_K.option().name(), ModelShape.LAYER_IDS.option().name(),
        SimulationConfig.SEED.option().name());

    @Mixin
    private final BackendOptions backend = new BackendOptions();

    @Option(names = "--weights-root", paramLabel = "DIR",
        description = "Let admins replace the weights by those of a checkpoint below DIR while the server runs; simulated " +
            "ranks take the name of any directory below DIR.")
    @InputPath
    private Path weightsRoot;

    @Mixin
    private final PromptTokenizer.FileOption tokenizer = new PromptTokenizer.FileOption();

    /** Whether a model is computed; otherwise ranks are simulated. */
    public boolean isComputed()
    {
        return backend.label() != null && !backend.label().equals(SIMULATED);
    }

    /**
     * Refuses options that have no effect.
     *
     * @param simulated groups of options of simulated ranks.
     */
    public void refuseIdle(final ParseResult given, final SettingGroup... simulated)
    {
        if (!isComputed())
        {
            OF_COMPUTED.forEach(option -> IdleOptions.refuse(
                given, option, "is for a backend that computes a model, and " + BACKEND + " names none"));
            return;
        }
        final String reason = "is for simulated ranks, and " + BACKEND + "=" + backend.label() + " computes a model";
        OF_SIMULATED.forEach(option -> IdleOptions.refuse(given, option, reason));
        for (final SettingGroup group : simulated)
        {
            group.settings().forEach(settings -> settings.forEachGiven((setting, value) ->
                IdleOptions.refuse(given, setting.option().name(), reason)));
        }
    }

    /** The backend with its knobs. */
    public ChosenBackend backend(final List<String> plugins)
    {
        final ChosenBackend chosen = ChosenBackend.of(backend.label(), backend.knobs(), plugins);
        return weightsRoot == null ? chosen : chosen.replaceable();
    }

    /**
     * The backend for the engine of a server: if {@code --weights-root} is given, clients of the server may replace its
     * weights.
     *
     * @throws ConfigException if the backend cannot replace its weights.
     */
    public Backend replaceable(final Backend served, final ServerConfig config)
    {
        if (weightsRoot == null)
        {
            return served;
        }
        if (!(served instanceof final ModelBackend loader))
        {
            config.weightsRoot(weightsRoot);
            return served;
        }
        if (!loader.capabilities().swapsWeights())
        {
            throw new ConfigException("--weights-root=" + weightsRoot + " is for a backend that can replace its weights, " +
                "and " + loader.capabilities().name() + " cannot; leave it out.");
        }
        return config.weightsRoot(weightsRoot, loader);
    }

    /**
     * The installed routers and those of the plug-ins.
     *
     * @throws ConfigException if a jar has neither a router nor a backend nor a tokenizer.
     */
    public static DpRouters routers(final List<String> plugins)
    {
        Plugins.requireAnyService(plugins, DpRouterProvider.class, BackendProvider.class, TokenizerProvider.class);
        return Plugins.routers(Plugins.without(plugins, BackendProvider.class, TokenizerProvider.class));
    }

    /**
     * Reads configuration and headers; no weight is copied.
     *
     * @param directory of the checkpoint; {@code null}: random weights.
     * @throws ConfigException that names the file and its fault.
     */
    public ModelWeights weights(final Path directory, final LoadProgress progress)
    {
        return RecordedModel.open(directory, config(), weightsSeed(), progress);
    }

    /** The model in a run description, without its digest. */
    public Map<String, String> settings(final Path directory, final DecoderPlan plan)
    {
        return RecordedModel.settings(plan, directory, config(), weightsSeed());
    }

    /** Ends of an answer, of the checkpoint. */
    public static int[] endTokens(final Path directory)
    {
        return directory == null ? new int[0] : Checkpoint.endTokens(directory);
    }

    /** The tokenizer; opened if it is asked for, or if the checkpoint has one. */
    public PromptTokenizer tokenizer(final Path directory, final List<String> plugins, final DecoderPlan plan)
    {
        final Path file = tokenizer.file(directory);
        final PromptTokenizer texts = new PromptTokenizer(plugins, file, plan.vocabulary());
        if (tokenizer.isGiven() || file != null && file.toFile().exists() &&
            !Plugins.providers(plugins, TokenizerProvider.class).isEmpty())
        {
            texts.open();
        }
        return texts;
    }
}
