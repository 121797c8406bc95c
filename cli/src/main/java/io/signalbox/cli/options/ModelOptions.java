// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.LoadProgress;
import io.signalbox.model.ModelWeights;
import io.signalbox.recompute.RecordedModel;
import picocli.CommandLine.Mixin;

import java.nio.file.Path;
import java.util.Map;

/** The model: a checkpoint, weights from a seed for the shape of a configuration, or the built-in one. */
public final class ModelOptions extends RandomModel.OrCheckpoint
{
    @Mixin
    private final PromptTokenizer.FileOption tokenizer = new PromptTokenizer.FileOption();

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

    /** The end tokens of the checkpoint. */
    public int[] endTokens()
    {
        return directory() == null ? new int[0] : Checkpoint.endTokens(directory());
    }

    /** The tokenizer's file; {@code null}: none belongs to the model. */
    public Path tokenizer()
    {
        return tokenizer.file(directory());
    }

    /** Whether a tokenizer is asked for. */
    public boolean namesTokenizer()
    {
        return tokenizer.isGiven();
    }

    /** The model in a run description, without its digest. */
    public Map<String, String> settings(final DecoderPlan plan)
    {
        return RecordedModel.settings(plan, directory(), config(), weightsSeed());
    }
}
