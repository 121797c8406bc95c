// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Explains tensors that do not fit config.json: by their names and types it tells what the files are, and what helps. */
final class TensorAdvice
{
    private static final String ONE_CHECKPOINT =
        "copy config.json and the safetensors files of one checkpoint into the directory";
    private static final String UNQUANTIZED = "use the checkpoint without quantization";
    private static final String MODEL = "model.";
    private static final String PREDICTION = ConfigReader.PREDICTION_LAYERS;
    private static final Pattern QUANTIZED = Pattern.compile(
        ".*[._](weight_scale(_inv|_2)?|input_scale|qweight|qzeros|scales|g_idx|weight_packed|weight_shape|" +
            "weight_zero_point|absmax|quant_map|quant_state\\..*|SCB|blocks)");
    private static final Pattern ADAPTER = Pattern.compile(".*\\.lora_[A-Za-z_]+(\\..*)?");
    private static final Pattern ATTENTION_BIAS = Pattern.compile(".*\\.self_attn\\.[qkvo]_proj\\.bias");
    private static final Pattern ATTENTION = Pattern.compile(".*\\.self_attn\\.([a-z_]+\\.bias|sinks)");
    private static final Pattern LAYER = Pattern.compile("model\\.layers\\.([0-9]{1,9})\\..*");

    private TensorAdvice()
    {
    }

    /**
     * @param names  of all tensors that are not left out, ascending.
     * @param reader of packed weights.
     */
    static ModelException missing(
        final Path directory, final String name, final List<String> names, final Quantization reader)
    {
        final String packed = quantized(names, reader);
        if (packed != null)
        {
            return new ModelException(directory + " has the quantized tensor '" + packed + "' and no '" + name + "'",
                UNQUANTIZED);
        }
        final boolean isForeign = names.stream().noneMatch(each -> each.startsWith(MODEL));
        final String renamed = names.stream().filter(each ->
            isForeign || each.endsWith("." + name) || name.endsWith("." + each)).findFirst().orElse(null);
        if (renamed != null)
        {
            return new ModelException(directory + " has no tensor '" + name + "' but '" + ModelJson.printable(renamed) +
                "', a name that transformers does not give it", "save the model with transformers");
        }
        final String fault = directory + " has no tensor '" + name + "', which its config.json asks for";
        return name.equals(CheckpointTensors.HEAD) ?
            new ModelException(fault, "set 'tie_word_embeddings' to true in config.json if the embedding is its head, or " +
                ONE_CHECKPOINT) : new ModelException(fault, ONE_CHECKPOINT);
    }

    /** @param tensor of a type that is not read. */
    static ModelException unreadable(final Path directory, final StoredTensor tensor)
    {
        if (tensor.type().equals(CheckpointTensors.FP8))
        {
            return new ModelException(directory + " has the tensor '" + tensor.name() + "' as " + tensor.shapeText() +
                ", and its config.json has no '" + Quantization.NAME + "' of the method fp8 that says how to unpack it",
                ONE_CHECKPOINT);
        }
        final boolean converts = tensor.type().equals("F64");
        return new ModelException(directory + " has the tensor '" + tensor.name() + "' as " + tensor.shapeText() +
            ", and only F32, BF16 and F16 are read",
            converts ? "convert the checkpoint to bfloat16 or float32" : UNQUANTIZED);
    }

    /** A packed tensor without its scales. */
    static ModelException withoutScales(final Path directory, final StoredTensor tensor, final String scales)
    {
        return new ModelException(directory + " has the tensor '" + tensor.name() + "' as " + tensor.shapeText() +
            " and no '" + scales + "' with its scales", ONE_CHECKPOINT);
    }

    /** Scales of a tensor that is not packed. */
    static ModelException scalesOfOther(final Path directory, final StoredTensor tensor, final String scales)
    {
        return new ModelException(directory + " has the scales '" + scales + "' of a tensor in " + CheckpointTensors.FP8 +
            ", and '" + tensor.name() + "' as " + tensor.shapeText(), ONE_CHECKPOINT);
    }

    static ModelException misshapen(final Path directory, final StoredTensor tensor, final String wanted)
    {
        return new ModelException(directory + " has the tensor '" + tensor.name() + "' as " + tensor.shapeText() +
            ", and its config.json asks for " + wanted, ONE_CHECKPOINT);
    }

    /**
     * Tensors that a plan does not use.
     *
     * @param names       ascending.
     * @param layers      of the plan.
     * @param takesBiases whether the family may have biases of attention.
     * @param reader      of packed weights.
     */
    static ModelException surplus(final Path directory, final List<String> names, final int layers,
        final boolean takesBiases, final Quantization reader)
    {
        for (final String name : names)
        {
            if (layer(name) >= layers)
            {
                return new ModelException(directory + " has layer " + layer(name) + ", such as '" +
                    ModelJson.printable(name) + "', and config.json has " + layers + " layers, from 0, and no '" +
                    PREDICTION + "' for it", "set '" + PREDICTION + "' in config.json if the layer is for multi-token " +
                    "prediction, or " + ONE_CHECKPOINT);
            }
        }
        final String quantized = quantized(names, reader);
        if (quantized != null)
        {
            return new ModelException(directory + " has quantized weights, such as '" + quantized + "'", UNQUANTIZED);
        }
        final String adapter = first(ADAPTER, names);
        if (adapter != null)
        {
            return new ModelException(directory + " has tensors of an adapter, such as '" + adapter + "'",
                "merge the adapter into its model and save the whole model");
        }
        final String bias = first(ATTENTION_BIAS, names);
        if (bias != null && takesBiases)
        {
            return new ModelException(directory + " has the tensor '" + bias + "', and its config.json has no '" +
                ConfigReader.BIAS + "' that is true", "set '" + ConfigReader.BIAS + "' to true in config.json if the " +
                "model has these biases");
        }
        final String attention = first(ATTENTION, names);
        if (attention != null)
        {
            return new ModelException(directory + " has the tensor '" + attention +
                "' of an attention that is not supported", "use a checkpoint without it");
        }
        return new ModelException(directory + " has " + names.size() + " tensors that its config.json does not ask " +
            "for, such as '" + ModelJson.printable(names.get(0)) + "'", ONE_CHECKPOINT);
    }

    /** The name of the first packed tensor whose packing is unsupported. */
    private static String quantized(final List<String> names, final Quantization reader)
    {
        return first(QUANTIZED, names.stream().filter(name -> !reader.reads(name)).toList());
    }

    private static boolean is(final Pattern pattern, final String name)
    {
        return pattern.matcher(name).matches();
    }

    private static String first(final Pattern pattern, final List<String> names)
    {
        return names.stream().filter(name -> is(pattern, name)).findFirst().map(ModelJson::printable).orElse(null);
    }

    /** The layer of a tensor; -1: none. */
    static int layer(final String name)
    {
        final Matcher layer = LAYER.matcher(name);
        return layer.matches() ? Integer.parseInt(layer.group(1)) : -1;
    }
}
