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
}
