// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A checkpoint with the values that transformers computed from it. */
final class ConformanceFixture
{
    private final Path directory;
    private final JsonNode description;
    private final NpzFile values;
    private final ModelWeights weights;

    /** @throws io.signalbox.model.ModelException if the model is not supported. */
    ConformanceFixture(final Path directory) throws IOException
    {
        this.directory = directory;
        description = new ObjectMapper().readTree(directory.resolve("reference.json").toFile());
        weights = Checkpoint.open(directory).weights();
        values = new NpzFile(directory.resolve("reference.npz"));
    }

    Path directory()
    {
        return directory;
    }

    ForwardModel model(final Precision precision)
    {
        return ForwardModel.of(weights, precision);
    }

    DecoderPlan plan()
    {
        return weights.plan();
    }

    int moeLayers()
    {
        return plan().moeLayers().size();
    }

    int prompts()
    {
        return description.get("prompts").size();
    }

    boolean hasBlock(final String block)
    {
        return values.has(block + ".p0.prompt");
    }

    /** By name, the SHA-256 of each tensor that is packed in the files, as float32. */
    Map<String, String> unpacked()
    {
        final Map<String, String> digests = new TreeMap<>();
        description.path("unpacked").properties()
            .forEach(entry -> digests.put(entry.getKey(), entry.getValue().asText()));
        return digests;
    }

    /** The prompt of which the values on the way are recorded. */
    int debugPrompt()
    {
        return description.get("debug_prompt").asInt();
    }

    double tolerance(final String block, final String name)
    {
        return description.get("tolerance").get(block).get(name).asDouble();
    }

    boolean has(final String block, final int prompt, final String name)
    {
        return values.has(block + ".p" + prompt + "." + name);
    }

    float[] floats(final String block, final int prompt, final String name)
    {
        return values.get(block + ".p" + prompt + "." + name).floats();
    }

    int[] ints(final String block, final int prompt, final String name)
    {
        return values.get(block + ".p" + prompt + "." + name).ints();
    }
}
