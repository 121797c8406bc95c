// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The tokenizer of a model. */
class TokenizerOption
{
    @Option(names = "--tokenizer", paramLabel = "FILE",
        description = "Encode prompts of text, and decode answers, by this tokenizer.json (default: that of --model's " +
            "directory). Needs the plug-in tokenizer/target/signalbox-tokenizer.jar.")
    @InputPath
    private Path tokenizer;

    /**
     * The tokenizer's file; {@code null}: none belongs to the model.
     *
     * @param model directory of the checkpoint; {@code null}: there is none.
     */
    final Path file(final Path model)
    {
        return tokenizer != null || model == null ? tokenizer : model.resolve("tokenizer.json");
    }

    /** Whether a tokenizer is asked for. */
    final boolean isGiven()
    {
        return tokenizer != null;
    }
}
