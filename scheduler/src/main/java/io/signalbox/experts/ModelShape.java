// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The shape of routed experts: MoE layers, experts per layer, and experts chosen per token and layer. Expert ids are
 * logical: those of the checkpoint, before a placement of experts on devices renames or repeats them.
 *
 * @param moeLayers 1 to 1,024; dense layers do not count.
 * @param experts   1 to 1,048,576.
 * @param topK      1 to {@code experts}; a row may not be larger than {@link #MAX_ROW_BYTES}.
 * @param layerIds  per captured layer the layer of the model that it is, ascending; dense layers have none. {@code null}:
 *                  the first layers.
 * @param combineWeights whether a row has its combine weights: per expert id the factor that the model gave the output of
 *                       that expert in the sum over its experts.
 */
public record ModelShape(int moeLayers, int experts, int topK, List<Integer> layerIds, boolean combineWeights)
{
    /** Layers of a model, dense ones included. */
    public static final int MAX_MODEL_LAYERS = 65_536;
    public static final int MAX_EXPERTS = 1 << 20;
    public static final int MAX_MOE_LAYERS = 1024;
    /** The most experts whose ids fit one byte. */
    public static final int MAX_EXPERTS_PER_BYTE = 1 << 8;
    /** The most experts whose ids fit two bytes without a sign. */
    public static final int MAX_EXPERTS_PER_SHORT = 1 << 16;
    public static final int MAX_ROW_BYTES = 1 << 28;
    /** Bytes of one combine weight in storage and journal: a float32, so that each is exactly the one that was applied. */
    public static final int WEIGHT_BYTES = Float.BYTES;

    private static final String DISTINCT = "a token is routed to distinct experts";
    /** Begins the names of its settings in a run description. */
    public static final String PREFIX = "model.";

    /** A setting of the scheduler, without which the shape has no effect. */
    public static final Setting<Boolean> CAPTURE =
        Setting.flag("capture", false, "Whether routed experts are captured; the model's shape is then set as well.")
        .option("--capture", "Capture routed experts")
        .elsewhere("enable_return_routed_experts", "enable_return_routed_experts", "");
    public static final Setting<Integer> MOE_LAYERS = Setting.integer("moeLayers", "", 4, 1, MAX_MOE_LAYERS,
        "MoE layers of the model; dense layers do not count.").remedy("give the number of MoE layers")
        .option("--moe-layers", "N", "Simulate a model with N MoE layers").onlyWith(CAPTURE);
    public static final Setting<Integer> EXPERTS = Setting.integer("experts", "", 64, 1, MAX_EXPERTS,
        "Experts per layer.").remedy("give the number of experts per layer")
        .option("--experts", "N", "Give each layer N experts").onlyWith(CAPTURE);
    public static final Setting<Integer> TOP_K = Setting.integer("topK", "", 2, 1, MAX_EXPERTS,
        "Experts per token and layer; at most as many as there are.").remedy(DISTINCT)
        .option("--top-k", "N", "Route each token to N experts per layer").onlyWith(CAPTURE);
    public static final Setting<Optional<List<Integer>>> LAYER_IDS = Setting.form("layerIds", "", List.of(0),
            "ascending layers of the model, such as 3-60 or 1,3,5", LayerIds::parse, LayerIds::print,
            "Layers of the model that the captured MoE layers are; consecutive: the first ones.")
        .orAbsent("consecutive").omitted(Optional.empty())
        .option("--layer-ids", "LAYERS", "Name the layers of the model that these are, such as 3-60 or 1,3,5")
        .onlyWith(CAPTURE);
    public static final Setting<Boolean> COMBINE_WEIGHTS = Setting.flag("combineWeights", false,
        "Whether rows have, beside each expert id, the weight of that expert's output in the model's sum, as float32; " +
            "needs a backend that captures it.").omitted(false)
        .option("--combine-weights", "Capture the combine weight of each routed expert beside its id").onlyWith(CAPTURE);
    public static final List<Setting<?>> SETTINGS = List.of(MOE_LAYERS, EXPERTS, TOP_K, LAYER_IDS, COMBINE_WEIGHTS);
    private static final SettingValues DECLARED = SettingValues.defaults("the model", SETTINGS);

    /** A model whose first layers are its MoE layers. */
    public ModelShape(final int moeLayers, final int experts, final int topK)
    {
        this(moeLayers, experts, topK, null, false);
    }

    public ModelShape
    {
        MOE_LAYERS.check(moeLayers);
        EXPERTS.check(experts);
        if (topK < 1 || topK > experts)
        {
            throw ConfigException.because(TOP_K.of(topK), " is not between 1 and ", EXPERTS.of(experts))
                .allowed("between 1 and " + experts).remedy(DISTINCT);
        }
        final long rowBytes = (long)moeLayers * topK * (idBytes(experts) + (combineWeights ? WEIGHT_BYTES : 0));
        if (rowBytes > MAX_ROW_BYTES)
        {
            throw ConfigException.because(MOE_LAYERS.of(moeLayers), " with ", TOP_K.of(topK), " makes rows of " + rowBytes +
                    " bytes, above " + MAX_ROW_BYTES).allowed("at most " + MAX_ROW_BYTES + " bytes per row")
                .remedy("give fewer layers or a smaller ", TOP_K.named());
        }
        layerIds = LayerIds.checked(layerIds, moeLayers);
    }

    /** The same shape for a model in which these layers are the MoE layers. */
    public ModelShape withLayerIds(final List<Integer> ids)
    {
        return new ModelShape(moeLayers, experts, topK, ids, combineWeights);
    }

    /** The same shape with or without combine weights. */
    public ModelShape withCombineWeights(final boolean wanted)
    {
        return new ModelShape(moeLayers, experts, topK, layerIds, wanted);
    }

    /** The layer of the model that a captured layer is. */
    public int layerId(final int moeLayer)
    {
        return layerIds.get(moeLayer);
    }

    private Optional<List<Integer>> namedLayers()
    {
        return layerIds.equals(LayerIds.consecutive(moeLayers)) ? Optional.empty() : Optional.of(layerIds);
    }

    /**
     * Name and value of every setting, sorted by name. If combine weights are off, their setting is omitted: such a run has
     * the description, and so the digest, of a version that does not know them.
     */
    public Map<String, String> settings()
    {
        final Map<String, String> printed = DECLARED.with(MOE_LAYERS, moeLayers).with(EXPERTS, experts).with(TOP_K, topK)
            .with(LAYER_IDS, namedLayers()).with(COMBINE_WEIGHTS, combineWeights).print(PREFIX);
        if (!combineWeights)
        {
            printed.remove(PREFIX + COMBINE_WEIGHTS.name());
        }
        return printed;
    }

    /**
     * Reads what {@link #settings()} wrote; names without its prefix are left alone.
     *
     * @throws ConfigException if a setting is missing or unknown, or has a value that is not allowed.
     */
    public static ModelShape of(final Map<String, String> settings)
    {
        final SettingValues values = DECLARED.read(PREFIX, settings);
        return new ModelShape(values.get(MOE_LAYERS), values.get(EXPERTS), values.get(TOP_K),
            values.get(LAYER_IDS).orElse(null), values.get(COMBINE_WEIGHTS));
    }

    /** Bytes of one expert id in storage and journal: 1 up to 256 experts, 2 up to 65,536, else 4. */
    public int idBytes()
    {
        return idBytes(experts);
    }

    private static int idBytes(final int experts)
    {
        if (experts <= MAX_EXPERTS_PER_BYTE)
        {
            return Byte.BYTES;
        }
        return experts <= MAX_EXPERTS_PER_SHORT ? Short.BYTES : Integer.BYTES;
    }

    /** Expert ids of one row, the routed experts of one token in {@code [MoE layer][k]} order. */
    public int rowIds()
    {
        return moeLayers * topK;
    }

    /** Bytes of the ids of one row, with which it begins; its combine weights follow. */
    public int idsBytes()
    {
        return rowIds() * idBytes();
    }

    /**
     * Bytes of one row in storage and journal: all ids as {@code [MoE layer][k]}, and then, if the row has them, all combine
     * weights in the same order as little-endian float32.
     */
    public int rowBytes()
    {
        return idsBytes() + (combineWeights ? rowIds() * WEIGHT_BYTES : 0);
    }
}
