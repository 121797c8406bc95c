// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** Random weights in place of a checkpoint. A field that is not given is {@code null}. */
class RandomModel
{
    private static final long USUAL_SEED = 1;

    @Option(names = "--random-model", paramLabel = "CONFIG",
        description = "Compute with random weights for the shape that this config.json describes.")
    @InputPath
    private Path config;

    @Option(names = "--model-seed", paramLabel = "N",
        description = "Make random weights from the seed N, also those of the built-in model (default: 1, or that of the " +
            "recorded run).")
    private Long seed;

    final Path config()
    {
        return config;
    }

    final Long seed()
    {
        return seed;
    }

    /** The given seed, or the usual one. */
    final long weightsSeed()
    {
        return seed == null ? USUAL_SEED : seed;
    }

    final boolean isRandom()
    {
        return config != null || seed != null;
    }

    /** A checkpoint, or random weights. */
    static class OrCheckpoint extends RandomModel
    {
        @Option(names = "--model", paramLabel = "DIR",
            description = "Compute with the checkpoint in DIR: config.json and safetensors of OLMoE, Qwen3-MoE, Mixtral, " +
                "DeepSeek-V3 or gpt-oss (default: a tiny built-in model, or that of the recorded run, if it can be made " +
                "again).")
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
}
