// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.List;
import java.util.Map;

/**
 * The shape of routed experts: MoE layers, experts per layer, and experts chosen per token and layer.
 *
 * @param moeLayers 1 to 1,024; dense layers do not count.
 * @param experts   1 to 1,048,576.
 * @param topK      1 to {@code experts}; a row may not be larger than {@link #MAX_ROW_BYTES}.
 */
public record ModelShape(int moeLayers, int experts, int topK)
{
    public static final int MAX_EXPERTS = 1 << 20;
    public static final int MAX_MOE_LAYERS = 1024;
    /** The most experts whose ids fit one byte. */
    public static final int MAX_EXPERTS_PER_BYTE = 1 << 8;
    /** The most experts whose ids fit two bytes without a sign. */
    public static final int MAX_EXPERTS_PER_SHORT = 1 << 16;
    public static final int MAX_ROW_BYTES = 1 << 28;

    private static final String DISTINCT = "a token is routed to distinct experts";
    /** Begins the names of its settings in a run description. */
    public static final String PREFIX = "model.";

    public static final Setting<Integer> MOE_LAYERS = Setting.integer("moeLayers", "", 4, 1, MAX_MOE_LAYERS,
        "MoE layers of the model; dense layers do not count.").remedy("give the number of MoE layers");
    public static final Setting<Integer> EXPERTS = Setting.integer("experts", "", 64, 1, MAX_EXPERTS,
        "Experts per layer.").remedy("give the number of experts per layer");
    public static final Setting<Integer> TOP_K = Setting.integer("topK", "", 2, 1, MAX_EXPERTS,
        "Experts per token and layer; at most as many as there are.").remedy(DISTINCT);
    public static final List<Setting<?>> SETTINGS = List.of(MOE_LAYERS, EXPERTS, TOP_K);
    private static final SettingValues DECLARED = SettingValues.defaults("the model", SETTINGS);

    public ModelShape
    {
        MOE_LAYERS.check(moeLayers);
        EXPERTS.check(experts);
        if (topK < 1 || topK > experts)
        {
            throw ConfigException.because(TOP_K.of(topK), " is not between 1 and ", EXPERTS.of(experts))
                .allowed("between 1 and " + experts).remedy(DISTINCT);
        }
        final long rowBytes = (long)moeLayers * topK * idBytes(experts);
        if (rowBytes > MAX_ROW_BYTES)
        {
            throw ConfigException.because(MOE_LAYERS.of(moeLayers), " with ", TOP_K.of(topK), " makes rows of " + rowBytes +
                    " bytes, above " + MAX_ROW_BYTES).allowed("at most " + MAX_ROW_BYTES + " bytes per row")
                .remedy("give fewer layers or a smaller ", TOP_K.named());
        }
    }

    /** Name and value of every setting, sorted by name. */
    public Map<String, String> settings()
    {
        return DECLARED.with(MOE_LAYERS, moeLayers).with(EXPERTS, experts).with(TOP_K, topK).print(PREFIX);
    }

    /**
     * Reads what {@link #settings()} wrote; names without its prefix are left alone.
     *
     * @throws ConfigException if a setting is missing or unknown, or has a value that is not allowed.
     */
    public static ModelShape of(final Map<String, String> settings)
    {
        final SettingValues values = DECLARED.read(PREFIX, settings);
        return new ModelShape(values.get(MOE_LAYERS), values.get(EXPERTS), values.get(TOP_K));
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

    /** Bytes of one row in storage and journal. */
    public int rowBytes()
    {
        return rowIds() * idBytes();
    }
}
