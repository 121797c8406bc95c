// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.LoadProgress;
import io.signalbox.model.ModelWeights;
import io.signalbox.recompute.RecordedModel;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Model and backend that compute the steps of a recorded run again: those of the run unless others are given. */
public final class RecomputeOptions
{
    @Option(names = "--recompute",
        description = "Compute the recorded steps again, and compare tokens, log-probabilities and routed experts.")
    private boolean asked;

    @Mixin
    private final RandomModel.OrCheckpoint source = new RandomModel.OrCheckpoint();

    @Option(names = "--new-model", paramLabel = "DIR", split = ",",
        description = "Compute later generations of weights with the checkpoints in these directories, in their order; " +
            "needed if the run replaced its weights.")
    @InputPath
    private List<Path> newModels = List.of();

    @Option(names = "--new-model-seed", paramLabel = "N", split = ",",
        description = "Compute later generations with random weights from these seeds instead.")
    private List<Long> newSeeds = List.of();

    @Mixin
    private final BackendOptions backend = new BackendOptions();

    public boolean isAsked()
    {
        return asked;
    }

    /** @throws ConfigException if options are given that nothing uses. */
    public void check()
    {
        final boolean anyGiven = source.isAny() || backend.isAny() || !newModels.isEmpty() || !newSeeds.isEmpty();
        if (!asked && anyGiven)
        {
            throw new ConfigException("options of a model or backend are for --recompute, which is not given; add it.");
        }
    }

    /**
     * The model of a run, or the one that is given in its place.
     *
     * @param description of the run.
     * @throws ConfigException if there is none, or it has another shape than the run's.
     */
    public ModelWeights weights(final Map<String, String> description, final LoadProgress progress)
    {
        return RecordedModel.of(description, source.directory(), source.config(), source.seed(), progress);
    }

    /**
     * The weights of the generations after the first, each loaded on demand.
     *
     * @param plan     the plan of the first generation.
     * @param versions the recorded versions of the run.
     * @throws ConfigException if the number of models differs from the number of versions.
     */
    public List<Supplier<ModelWeights>> newWeights(final DecoderPlan plan, final List<String> versions)
    {
        if (!newModels.isEmpty() && !newSeeds.isEmpty())
        {
            throw new ConfigException("--new-model and --new-model-seed exclude each other; give one of them.");
        }
        final List<Supplier<ModelWeights>> given = new ArrayList<>();
        newModels.forEach(model -> given.add(() -> Checkpoint.open(model).weights()));
        newSeeds.forEach(each -> given.add(() -> GeneratedModel.weights(plan, each)));
        if (given.size() != versions.size())
        {
            final String replaced = IntStream.range(0, versions.size())
                .mapToObj(i -> "generation " + (i + 1) + " '" + versions.get(i) + "'").collect(Collectors.joining(", "));
            throw new ConfigException(versions.isEmpty() ?
                "the run did not replace its weights; leave out --new-model and --new-model-seed." :
                "the run replaced its weights (" + replaced + "), and " + given.size() + " of " + versions.size() +
                " new models are given; give the checkpoint of each generation with --new-model, in this order.");
        }
        return given;
    }

    /** The backend of a run, or the one that is given in its place. */
    public ChosenBackend backend(final Map<String, String> description, final List<String> plugins)
    {
        return ChosenBackend.recorded(description, backend.label(), backend.knobs(), plugins);
    }
}
