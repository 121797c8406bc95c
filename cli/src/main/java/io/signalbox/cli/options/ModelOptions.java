// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.LoadProgress;
import io.signalbox.model.ModelWeights;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The model: a checkpoint, weights from a seed for the shape of a configuration, or the built-in one. */
public final class ModelOptions
{
    private static final String NAME = "run.model";

    @Option(names = "--model", paramLabel = "DIR",
        description = "Load the checkpoint in DIR: config.json and safetensors of OLMoE, Qwen3-MoE, Mixtral or " +
            "DeepSeek-V3 (default: a tiny model that is built in).")
    private Path directory;

    @Option(names = "--random-model", paramLabel = "CONFIG",
        description = "Make random weights for the shape that this config.json describes.")
    private Path config;

    @Option(names = "--model-seed", paramLabel = "N",
        description = "Make random weights from the seed N, also those of the built-in model (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    /**
     * Reads configuration and headers; no weight is copied.
     *
     * @param progress receives which weights the backend has copied.
     * @throws ConfigException that names the file and its fault.
     */
    public ModelWeights weights(final LoadProgress progress)
    {
        if (directory != null && config != null)
        {
            throw new ConfigException("--model and --random-model exclude each other; give one of them.");
        }
        if (directory != null)
        {
            return Checkpoint.open(directory, progress).weights();
        }
        return GeneratedModel.weights(config == null ? GeneratedModel.tiny() : DecoderPlan.of(config), seed,
            progress);
    }

    /** Whether the built-in model is used. */
    public boolean isBuiltIn()
    {
        return directory == null && config == null;
    }

    /** The model in a run description. */
    public Map<String, String> settings(final DecoderPlan plan)
    {
        final Map<String, String> settings = new TreeMap<>();
        settings.put(NAME, directory != null ? "checkpoint" : isBuiltIn() ? "built-in" : "random");
        settings.put(NAME + ".family", plan.family().modelType());
        settings.put(NAME + ".weights", Long.toString(plan.parameters()));
        settings.put(NAME + ".type", plan.type().name().toLowerCase(Locale.ROOT));
        if (directory == null)
        {
            settings.put(NAME + ".seed", Long.toString(seed));
        }
        return settings;
    }
}
