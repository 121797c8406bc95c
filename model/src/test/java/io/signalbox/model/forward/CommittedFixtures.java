// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * The fixtures of this module's test resources: one with a norm per head and dense layers, one with clipping, one in
 * float16, and one in FP8 with blocks that are not whole and weights whose scales are in another shard.
 */
final class CommittedFixtures
{
    private static final List<String> EVERYWHERE = List.of("config.json", "reference.json", "reference.npz");
    private static final List<String> SAVED = List.of("config.hub-style.json", "model.safetensors");
    /** Files beside those that are everywhere. */
    private static final Map<String, List<String>> FILES = new TreeMap<>(Map.of(
        "olmoe-wide-bf16", SAVED, "qwen3moe-wide-bf16", SAVED,
        "mixtral-hub-f16", List.of("config.save-pretrained.json", "model.safetensors"),
        "qwen3moe-hub-fp8", List.of("config.save-pretrained.json", "model.safetensors.index.json",
            "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")));

    private CommittedFixtures()
    {
    }

    /** Whether a directory has the name of one of them. */
    static boolean has(final Path directory)
    {
        return FILES.containsKey(directory.getFileName().toString());
    }

    static List<Path> unpack(final Path target) throws IOException
    {
        final List<Path> fixtures = new ArrayList<>();
        for (final Map.Entry<String, List<String>> fixture : FILES.entrySet())
        {
            final Path directory = Files.createDirectories(target.resolve(fixture.getKey()));
            for (final String file : Stream.concat(EVERYWHERE.stream(), fixture.getValue().stream()).toList())
            {
                try (InputStream packed =
                        CommittedFixtures.class.getResourceAsStream(fixture.getKey() + "/" + file + ".gz");
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
