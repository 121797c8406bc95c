// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.LoadProgress;
import io.signalbox.model.ModelWeights;
import io.signalbox.recompute.RecordedModel;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Map;

/** The model: a checkpoint, weights from a seed for the shape of a configuration, or the built-in one. */
public final class ModelOptions extends ModelSource
{
    private static final long USUAL_SEED = 1;

    @Option(names = "--tokenizer", paramLabel = "FILE",
        description = "Encode prompts of text, and decode answers, by this tokenizer.json (default: that of --model's " +
            "directory). Needs the plug-in tokenizer/target/signalbox-tokenizer.jar.")
    @InputPath
    private Path tokenizer;

    /**
     * Reads configuration and headers; no weight is copied.
     *
     * @param progress receives which weights the backend has copied.
     * @throws io.signalbox.ConfigException that names the file and its fault.
     */
    public ModelWeights weights(final LoadProgress progress)
    {
        return RecordedModel.open(directory(), config(), weightsSeed(), progress);
    }

    private long weightsSeed()
    {
        return seed() == null ? USUAL_SEED : seed();
    }

    /** The end tokens of the checkpoint. */
    public int[] endTokens()
    {
        return directory() == null ? new int[0] : Checkpoint.endTokens(directory());
    }

    /** The tokenizer's file; {@code null}: none belongs to the model. */
    public Path tokenizer()
    {
        return tokenizer != null || directory() == null ? tokenizer : directory().resolve("tokenizer.json");
    }

    /** Whether a tokenizer is asked for. */
    public boolean namesTokenizer()
    {
        return tokenizer != null;
    }

    /** The model in a run description, without its digest. */
    public Map<String, String> settings(final DecoderPlan plan)
    {
        return RecordedModel.settings(plan, directory(), config(), weightsSeed());
    }
}
