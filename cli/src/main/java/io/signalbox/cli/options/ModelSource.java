// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** Where the weights of a model come from. A field that is not given is {@code null}. */
class ModelSource extends RandomModel
{
    @Option(names = "--model", paramLabel = "DIR",
        description = "Compute with the checkpoint in DIR: config.json and safetensors of OLMoE, Qwen3-MoE, Mixtral, " +
            "DeepSeek-V3 or gpt-oss (default: a tiny built-in model, or that of the recorded run, if it can be made again).")
    @InputPath
    private Path directory;

    final Path directory()
    {
        return directory;
    }

    final boolean isAny()
    {
        return directory != null || isRandom();
    }
}
