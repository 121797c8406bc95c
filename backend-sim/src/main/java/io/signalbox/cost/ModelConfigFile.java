// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The shape of a model from its {@code config.json}, by the names that Hugging Face's models use. */
public final class ModelConfigFile
{
    private static final long MAX_BYTES = 1 << 20;
    private static final int MAX_VALUE = 1 << 24;
    private static final int NONE = -1;

    private final Path file;
    private final Map<String, Long> numbers = new HashMap<>();
    private int windowedLayers;

    private ModelConfigFile(final Path file)
    {
        this.file = file;
    }

    /**
     * @param directory that holds {@code config.json}.
     * @throws ConfigException that names the file and its fault.
     */
    public static ServedModelShape read(final Path directory)
    {
        final ModelConfigFile config = new ModelConfigFile(directory.resolve("config.json"));
        config.read();
        return config.model(directory.toAbsolutePath().normalize().getFileName().toString());
    }

    private void read()
    {
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw new ConfigException(
                file + " " + unusable + "; give a directory with a config.json, or a name of --list-models.");
        }
        try
        {
            if (Files.size(file) > MAX_BYTES)
            {
                throw new ConfigException(file + " has more than " + MAX_BYTES + " bytes; give the config.json of a model.");
            }
            try (JsonParser parser = new JsonFactory().createParser(Files.readString(file)))
            {
                readObject(parser);
            }
        }
        catch (final JsonProcessingException e)
        {
            throw new ConfigException(file + " is not valid JSON; give the config.json of a model.");
        }
        catch (final IOException e)
        {
            throw new ConfigException(file + " cannot be read (" + FileFault.reason(e) + "); give a readable config.json.");
        }
    }

    private void readObject(final JsonParser parser) throws IOException
    {
        if (parser.nextToken() != JsonToken.START_OBJECT)
        {
            throw new ConfigException(file + " is not a JSON object; give the config.json of a model.");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String name = parser.currentName();
            final JsonToken value = parser.nextToken();
            if (value == JsonToken.VALUE_NUMBER_INT)
            {
                numbers.put(name, parser.getBigIntegerValue().bitLength() < Long.SIZE - 1 ? parser.getLongValue() : NONE);
            }
            else if (name.equals("layer_types") && value == JsonToken.START_ARRAY)
            {
                while (parser.nextToken() != JsonToken.END_ARRAY)
                {
                    windowedLayers += "sliding_attention".equals(parser.getText()) ? 1 : 0;
                }
            }
            else
            {
                parser.skipChildren();
            }
        }
    }

    private int number(final String name, final int absent)
    {
        final long value = numbers.getOrDefault(name, (long)absent);
        if (value < 0 || value > MAX_VALUE)
        {
            throw new ConfigException(file + " has " + name + "=" + value + ", which is not between 0 and " + MAX_VALUE +
                "; give the config.json of a model.");
        }
        return (int)value;
    }

    private int needed(final String name)
    {
        if (!numbers.containsKey(name) || numbers.get(name) < 1)
        {
            throw new ConfigException(file + " has no " + name + " above 0; give the config.json of a decoder model.");
        }
        return number(name, 1);
    }

    private int first(final int absent, final String... names)
    {
        for (final String name : names)
        {
            if (numbers.containsKey(name))
            {
                return number(name, 0);
            }
        }
        return absent;
    }

    private ServedModelShape model(final String name)
    {
        final int layers = needed("num_hidden_layers");
        final int hidden = needed("hidden_size");
        final int heads = needed("num_attention_heads");
        final int kvHeads = Math.max(1, number("num_key_value_heads", heads));
        final int headDim = Math.max(1, number("head_dim", hidden / heads));
        final int experts = first(0, "num_experts", "num_local_experts", "n_routed_experts");
        final int topK = experts == 0 ? 0 : first(1, "num_experts_per_tok", "experts_per_token");
        final int dense = needed("intermediate_size");
        final int expertSize = first(dense, "moe_intermediate_size");
        final int moeLayers = experts == 0 ? 0 : Math.max(0, layers - number("first_k_dense_replace", 0));
        final boolean isLatent = numbers.containsKey("kv_lora_rank");
        if (topK > experts)
        {
            throw new ConfigException(file + " routes a token to " + topK + " of " + experts +
                " experts; give the config.json of a model.");
        }
        final long shared = 3L * hidden * expertSize * number("n_shared_experts", 0);
        final long parameters = (isLatent ? 0 : layers * ServedModelShape.projections(hidden, heads, kvHeads, headDim)) +
            (layers - moeLayers) * 3L * hidden * dense + moeLayers * shared + (long)hidden * needed("vocab_size");
        final int windowTokens = windowedLayers == 0 ? 0 : number("sliding_window", 0);
        final ServedModelShape.ServedAttention attention = isLatent ?
            new ServedModelShape.ServedAttention(layers, heads, 1,
                number("kv_lora_rank", 0) + number("qk_rope_head_dim", 0), true, windowedLayers, windowTokens) :
            new ServedModelShape.ServedAttention(layers, heads, kvHeads, headDim, false, windowedLayers, windowTokens);
        return new ServedModelShape(name, "", hidden, attention,
            new ServedModelShape.ServedExperts(moeLayers, experts, topK, expertSize), parameters, "bf16");
    }
}
