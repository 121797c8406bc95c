// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The fixtures of this module's test resources: one with a norm per head and dense layers, one with clipping. */
final class CommittedFixtures
{
    private static final List<String> NAMES = List.of("olmoe-wide-bf16", "qwen3moe-wide-bf16");
    private static final List<String> FILES =
        List.of("config.json", "config.hub-style.json", "model.safetensors", "reference.json", "reference.npz");

    private CommittedFixtures()
    {
    }

    /** Whether a directory has the name of one of them. */
    static boolean has(final Path directory)
    {
        return NAMES.contains(directory.getFileName().toString());
    }

    static List<Path> unpack(final Path target) throws IOException
    {
        final List<Path> fixtures = new ArrayList<>();
        for (final String name : NAMES)
        {
            final Path directory = Files.createDirectories(target.resolve(name));
            for (final String file : FILES)
            {
                try (InputStream packed = CommittedFixtures.class.getResourceAsStream(name + "/" + file + ".gz");
                    InputStream content = new GZIPInputStream(packed))
                {
                    Files.copy(content, directory.resolve(file));
                }
            }
            fixtures.add(directory);
        }
        return fixtures;
    }
}
