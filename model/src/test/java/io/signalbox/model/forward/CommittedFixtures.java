// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * The fixtures of this module's test resources: clipping; a norm per head and dense layers; float16; FP8 with blocks that
 * are not whole and weights whose scales are in another shard; latent attention with YaRN; sinks, windows, biases and
 * clamped experts.
 */
enum CommittedFixtures
{
    OLMOE("olmoe-wide-bf16", "config.hub-style.json", "model.safetensors"),
    QWEN3_MOE("qwen3moe-wide-bf16", "config.hub-style.json", "model.safetensors"),
    DEEPSEEK_V3("deepseekv3-hub-bf16", "config.save-pretrained.json", "generation_config.json",
        "model.safetensors.index.json", "model-00001-of-000003.safetensors", "model-00002-of-000003.safetensors",
        "model-00003-of-000003.safetensors"),
    GPT_OSS("gptoss-wide-bf16", "config.save-pretrained.json", "generation_config.json", "model.safetensors.index.json",
        "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"),
    FLOAT16("mixtral-hub-f16", "config.save-pretrained.json", "model.safetensors"),
    FP8("qwen3moe-hub-fp8", "config.save-pretrained.json", "generation_config.json", "model.safetensors.index.json",
        "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors");

    private final String directory;
    private final List<String> files;

    CommittedFixtures(final String directory, final String... files)
    {
        this.directory = directory;
        this.files = new ArrayList<>(List.of(files));
        this.files.addAll(List.of("config.json", "reference.json", "reference.npz"));
    }

    /** Whether a directory has the name of one of them. */
    static boolean has(final Path directory)
    {
        return List.of(values()).stream().anyMatch(each -> each.directory.equals(directory.getFileName().toString()));
    }

    static List<Path> unpack(final Path target) throws IOException
    {
        final List<Path> fixtures = new ArrayList<>();
        for (final CommittedFixtures each : values())
        {
            fixtures.add(each.unpackTo(target));
        }
        return fixtures;
    }

    Path unpackTo(final Path target) throws IOException
    {
        final Path unpacked = Files.createDirectories(target.resolve(directory));
        for (final String file : files)
        {
            try (InputStream packed = CommittedFixtures.class.getResourceAsStream(directory + "/" + file + ".gz");
                InputStream content = new GZIPInputStream(packed))
            {
                Files.copy(content, unpacked.resolve(file));
            }
        }
        return unpacked;
    }
}
