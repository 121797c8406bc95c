// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.model.LoadProgress;
import io.signalbox.model.ModelWeights;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Model and backend that compute the steps of a recorded run again: those of the run unless others are given. */
public final class RecomputeOptions
{
    @Option(names = "--recompute",
        description = "Compute the recorded steps again, and compare tokens, log-probabilities and routed experts.")
    private boolean asked;

    @Option(names = "--model", paramLabel = "DIR",
        description = "Compute with the checkpoint in DIR; needed if the run had one.")
    @InputPath
    private Path directory;

    @Option(names = "--random-model", paramLabel = "CONFIG",
        description = "Compute with random weights for the shape of this config.json; needed if the run did.")
    @InputPath
    private Path config;

    @Option(names = "--model-seed", paramLabel = "N",
        description = "Make random weights from the seed N (default: that of the run).")
    private Long seed;

    @Option(names = "--backend", paramLabel = "LABEL",
        description = "Compute with this backend: cpu, cuda, or one of --plugins (default: that of the run).")
    private String backend;

    @Option(names = "--backend-options", paramLabel = "NAME=VALUE", split = ",",
        description = "Set knobs of the backend, such as threads=2 of the cpu backend (default: those of the run).")
    @InputPath(PathInValue.AfterEquals.class)
    private List<String> backendOptions = List.of();

    public boolean isAsked()
    {
        return asked;
    }

    /** @throws ConfigException if options are given that nothing uses. */
    public void check()
    {
        final boolean anyGiven =
            directory != null || config != null || seed != null || backend != null || !backendOptions.isEmpty();
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
        return RecordedModel.of(description, directory, config, seed, progress);
    }

    /** The backend of a run, or the one that is given in its place. */
    public ChosenBackend backend(final Map<String, String> description, final List<String> plugins)
    {
        return ChosenBackend.recorded(description, backend, backendOptions, plugins);
    }
}
