// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Checkpoints with reference values beside the checkout, if there are any. */
final class SharedModels
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root")).resolve("../shared/models").normalize();

    private SharedModels()
    {
    }

    /** Skips the test if the variant is not there. */
    static Path variant(final String name)
    {
        final Path directory = ROOT.resolve(name);
        assumeTrue(Files.isDirectory(directory), "the checkpoint " + directory + " is not there");
        return directory;
    }
}
