// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Reads {@code config.json} in the spelling of transformers 5 and in the older one; refuses everything unsupported. */
final class ConfigReader
{
    static final String PREDICTION_LAYERS = "num_nextn_predict_layers";
    static final String BIAS = "attention_bias";
    private static final String WINDOW = "sliding_window";
    private static final int MAX_BYTES = 1 << 20;
    private static final String END_TOKENS = "eos_token_id";
    private static final String FLOAT16 = "float16";
    private static final String REMEDY = "give the unchanged config.json of the checkpoint";
    private static final String SUPPORTED = "supported are olmoe, qwen3_moe, mixtral, deepseek_v3 and gpt_oss";

    private final Path file;
    private final Map<String, Object> values;

    ConfigReader(final Path file)
    {
        this.file = file;
        values = ModelJson.file(file, MAX_BYTES, REMEDY);
    }

    DecoderPlan plan()
    {
        try
        {
            final ModelFamily family = family();
            refuseUnsupported();
            switch (family)
            {
                case OLMOE:
                    return olmoe();
                case QWEN3_MOE:
                    return qwen3Moe();
                case MIXTRAL:
                    return mixtral();
                case GPT_OSS:
                    return new GptOssConfigReader(this).plan();
                default:
                    return new LatentConfigReader(this).plan();
            }
        }
        catch (final ModelException e)
        {
            throw e.getMessage().startsWith(file.toString()) ? e : e.in(file);
        }
    }

    /**
     * The tokens that end a text: one, a list, or none.
     *
     * @param generation the generation_config.json beside it, whose tokens replace its own; {@code null}: there is none.
     */
    int[] endTokens(final Path generation)
    {
        final Object replacing = generation == null ? null :
            ModelJson.file(generation, MAX_BYTES, "give the unchanged file of the checkpoint").get(END_TOKENS);
        return replacing == null ? endTokens(file, values.get(END_TOKENS)) : endTokens(generation, replacing);
    }

    private int[] endTokens(final Path source, final Object value)
    {
        final List<?> tokens = value == null ? List.of() : value instanceof List<?> list ? list : List.of(value);
        final int vocabulary = number("vocab_size");
        return tokens.stream().mapToInt(each ->
        {
            if (!(each instanceof Long token) || token < 0 || token >= vocabulary)
            {
                throw new ModelException(source + " has '" + END_TOKENS + "' with " +
                    ModelJson.printable(String.valueOf(each)) + ", which is not a token of the vocabulary of " + vocabulary,
                    "give the unchanged file of the checkpoint, or --stop-token");
            }
            return token.intValue();
        }).toArray();
    }

    /** Layers after the last one that predict further tokens, and that the model is computed without. */
    int predictionLayers()
    {
        final int layers = number(PREDICTION_LAYERS, 0);
        if (layers < 0 || layers > DecoderPlan.MAX_LAYERS)
        {
            throw fault("has '" + PREDICTION_LAYERS + "' with " + layers + ", which is not between 0 and " +
                DecoderPlan.MAX_LAYERS);
        }
        return layers;
    }

    /** How weights are packed. */
    Quantization quantization()
    {
        return Quantization.of(file, values.get(Quantization.NAME),
            ModelFamily.GPT_OSS.modelType().equals(values.get("model_type")));
    }

    private ModelFamily family()
    {
        final String type = text("model_type");
        return Arrays.stream(ModelFamily.values()).filter(family -> family.modelType().equals(type)).findFirst()
            .orElseThrow(() -> new ModelException(
                file + " has the model type '" + ModelJson.printable(type) + "'", SUPPORTED));
    }

    private DecoderPlan olmoe()
    {
        final ExpertsPlan experts = ExpertsPlan.softmax(
            experts(), number("num_experts_per_tok"), number("intermediate_size"), flag("norm_topk_prob"));
        return plan(ModelFamily.OLMOE, allLayers(), 0,
            attention(QkNorm.FULL_WIDTH, real("clip_qkv", 0.0), null, flag(BIAS)), experts);
    }

    private DecoderPlan mixtral()
    {
        refuseFlag(BIAS);
        final ExpertsPlan experts = ExpertsPlan.softmax(experts(), number("num_experts_per_tok"),
            number("intermediate_size"), true).withRoundedWeights(false);
        final AttentionWindow window = has(WINDOW) ? window(allLayers()) : null;
        return plan(ModelFamily.MIXTRAL, allLayers(), 0, attention(QkNorm.NONE, 0.0, window, false), experts);
    }

    private DecoderPlan qwen3Moe()
    {
        refuseFlag("use_sliding_window");
        final int step = number("decoder_sparse_step", 1);
        if (step < 1)
        {
            throw fault("has 'decoder_sparse_step' with " + step + ", which is below 1");
        }
        final List<Integer> dense = layerList("mlp_only_layers");
        final List<Integer> moe = new ArrayList<>();
        for (int layer = 0; layer < layers(); layer++)
        {
            if ((layer + 1) % step == 0 && !dense.contains(layer))
            {
                moe.add(layer);
            }
        }
        final ExpertsPlan experts = ExpertsPlan.softmax(
            experts(), number("num_experts_per_tok"), number("moe_intermediate_size"), flag("norm_topk_prob"));
        final int denseWidth = moe.size() == layers() ? 0 : number("intermediate_size");
        return plan(ModelFamily.QWEN3_MOE, moe, denseWidth, attention(QkNorm.PER_HEAD, 0.0, null, flag(BIAS)), experts);
    }

    DecoderPlan plan(
        final ModelFamily family, final List<Integer> moeLayers, final int denseWidth, final AttentionPlan attention,
        final ExpertsPlan experts)
    {
        return new DecoderPlan(family, type(), layers(), moeLayers, number("hidden_size"), number("vocab_size"), denseWidth,
            number("max_position_embeddings"), real("rms_norm_eps", null), flag("tie_word_embeddings"), attention, experts);
    }

    private AttentionPlan attention(
        final QkNorm norm, final double clip, final AttentionWindow window, final boolean biases)
    {
        final int heads = number("num_attention_heads");
        final int hidden = number("hidden_size");
        if (values.get("head_dim") == null && (heads < 1 || hidden % heads != 0))
        {
            throw fault("has no 'head_dim', and its hidden size " + hidden + " is no multiple of its " + heads + " heads");
        }
        final int headSize = values.get("head_dim") == null ? hidden / heads : number("head_dim");
        final RopeConfigReader rope = new RopeConfigReader(this);
        return AttentionPlan.of(heads, number("num_key_value_heads", heads), headSize, rope.theta()).withQkNorm(norm)
            .withClip(clip).withYarn(rope.scaling(false)).withWindow(window).withBiases(biases);
    }

    /** The window of these layers; {@code null} if it hides no position. */
    AttentionWindow window(final List<Integer> layers)
    {
        if (layers.isEmpty())
        {
            return null;
        }
        final int positions = number(WINDOW);
        if (positions < 1)
        {
            throw fault("has '" + WINDOW + "' with " + positions + ", which is below 1");
        }
        return positions >= number("max_position_embeddings") ? null : new AttentionWindow(positions, layers);
    }

    private void refuseUnsupported()
    {
        refuse(real("partial_rotary_factor", 1.0) != 1.0, "partial_rotary_factor");
        quantization();
        refuseOther("hidden_act", "silu");
    }

    /** Refuses a value that is true. */
    void refuseFlag(final String name)
    {
        refuse(flag(name), name);
    }

    /** A value may be absent or this one. */
    void refuseOther(final String name, final Object supported)
    {
        refuse(values.get(name) != null && !supported.equals(values.get(name)), name);
    }

    private void refuse(final boolean found, final String name)
    {
        if (found)
        {
            throw new ModelException(file + " asks by '" + name + "' with " +
                ModelJson.printable(String.valueOf(values.get(name))) + " for something that is not supported",
                "use a checkpoint without it");
        }
    }

    private WeightType type()
    {
        final String newer = "dtype";
        final String older = "torch_dtype";
        if (values.get(newer) == null && values.get(older) == null)
        {
            if (quantization().is(Quantization.Method.MXFP4))
            {
                // As published: what is not packed is bfloat16.
                return WeightType.BF16;
            }
            throw new ModelException(file + " has neither '" + newer + "' nor '" + older + "'",
                "add the type of the weights, such as \"" + newer + "\": \"bfloat16\"");
        }
        final String name = text(values.get(newer) != null ? newer : older);
        if (name.equals(FLOAT16))
        {
            // Float32 has all its values, and there is no reference for arithmetic in float16.
            return WeightType.F32;
        }
        return Arrays.stream(WeightType.values()).filter(type -> type.configName().equals(name)).findFirst()
            .orElseThrow(() -> new ModelException(file + " has weights of type '" + ModelJson.printable(name) + "'",
                "convert the checkpoint to bfloat16, float16 or float32"));
    }

    private int experts()
    {
        final String older = "num_experts";
        final String newer = "num_local_experts";
        if (values.get(older) != null && values.get(newer) != null && number(older) != number(newer))
        {
            throw fault("gives different values as '" + older + "' and '" + newer + "'");
        }
        return number(values.get(newer) != null ? newer : older);
    }

    int layers()
    {
        final int layers = number("num_hidden_layers");
        if (layers < 1 || layers > DecoderPlan.MAX_LAYERS)
        {
            throw fault("has " + layers + " layers, which is not between 1 and " + DecoderPlan.MAX_LAYERS);
        }
        return layers;
    }

    private List<Integer> allLayers()
    {
        return moeFrom(0);
    }

    List<Integer> moeFrom(final int first)
    {
        final List<Integer> moe = new ArrayList<>();
        for (int layer = first; layer < layers(); layer++)
        {
            moe.add(layer);
        }
        return moe;
    }

    private List<Integer> layerList(final String name)
    {
        final List<Integer> numbers = new ArrayList<>();
        if (values.get(name) != null)
        {
            if (!(values.get(name) instanceof List<?> list) || list.size() > DecoderPlan.MAX_LAYERS ||
                list.stream().anyMatch(each -> !(each instanceof Long number) || number < 0 || number >= layers()))
            {
                throw fault("has '" + name + "' that is not a list of layers");
            }
            list.forEach(each -> numbers.add(((Long)each).intValue()));
        }
        return numbers;
    }

    /** A value as JSON has it; {@code null} if there is none. */
    Object value(final String name)
    {
        return values.get(name);
    }

    boolean has(final String name)
    {
        return value(name) != null;
    }

    /** An object; {@code null} if there is none. */
    Map<?, ?> object(final String name)
    {
        if (has(name) && !(values.get(name) instanceof Map<?, ?>))
        {
            throw fault("has '" + name + "' that is not an object");
        }
        return (Map<?, ?>)values.get(name);
    }

    int number(final String name, final int ifAbsent)
    {
        return values.get(name) == null ? ifAbsent : number(name);
    }

    int number(final String name)
    {
        if (!(require(name) instanceof Long number) || number != number.intValue())
        {
            throw fault("has '" + name + "' with " + ModelJson.printable(String.valueOf(values.get(name))) +
                ", which is no whole number of 32 bits");
        }
        return number.intValue();
    }

    double real(final String name, final Double ifAbsent)
    {
        if (values.get(name) == null && ifAbsent != null)
        {
            return ifAbsent;
        }
        if (!(require(name) instanceof Number number))
        {
            throw fault("has '" + name + "' that is not a number");
        }
        return number.doubleValue();
    }

    boolean flag(final String name)
    {
        return flag(name, false);
    }

    boolean flag(final String name, final boolean ifAbsent)
    {
        final Object value = values.get(name);
        if (value != null && !(value instanceof Boolean))
        {
            throw fault("has '" + name + "' that is neither true nor false");
        }
        return value == null ? ifAbsent : (Boolean)value;
    }

    String text(final String name)
    {
        if (!(require(name) instanceof String text))
        {
            throw fault("has '" + name + "' that is not a text");
        }
        return text;
    }

    private Object require(final String name)
    {
        if (values.get(name) == null)
        {
            throw fault("has no '" + name + "'");
        }
        return values.get(name);
    }

    ModelException fault(final String fault)
    {
        return unsupported(fault, REMEDY);
    }

    /** @param fault what the file has or lacks, as a predicate. */
    ModelException unsupported(final String fault, final String remedy)
    {
        return new ModelException(file + " " + fault, remedy);
    }
}
