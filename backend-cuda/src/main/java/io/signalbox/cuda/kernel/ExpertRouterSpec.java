// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;

import java.util.List;

/**
 * Parameters of the router of a layer, within what the kernels can do.
 *
 * @param experts     logical experts, 8 to 512; need not be a power of two.
 * @param topK        experts per token, 1 to 22, at most {@code experts}.
 * @param groups      equal groups that the experts are split into in order of id, 1 to 32; 1 in modes other than
 *                    {@link ExpertRouterMode#SIGMOID_BIAS}.
 * @param topGroups   groups that a token's experts come from, 1 to {@code groups}.
 * @param renormalise whether weights are divided by the sum of the chosen.
 * @param scale       what weights are multiplied by at last, above 0.
 * @param bias        added to each score in {@link ExpertRouterMode#SIGMOID_BIAS} for selection alone, or null.
 */
public record ExpertRouterSpec(
    int experts, int topK, ExpertRouterMode mode, LogitsType type, int groups, int topGroups, boolean renormalise,
    float scale, float[] bias)
{
    public static final int MIN_EXPERTS = 8;
    public static final int MAX_EXPERTS = 512;
    public static final int MAX_TOP_K = 22;
    public static final int MAX_GROUPS = 32;
    /** The most experts whose ids fit one byte. */
    private static final int MAX_EXPERTS_PER_BYTE = 256;

    private static final ConfigException.Named BIAS = new ConfigException.Named("bias", null);
    private static final String OTHERWISE = "give a value that the CUDA kernels are made for, or use another backend";

    public static final Setting<Integer> EXPERTS = Setting.integer("experts", "", 128, MIN_EXPERTS, MAX_EXPERTS,
        "Logical experts of a layer.").remedy(OTHERWISE)
        .option("--experts", "N", "Give each layer N experts");
    public static final Setting<Integer> TOP_K = Setting.integer("topK", "", 8, 1, MAX_TOP_K,
        "Experts per token; at most as many as there are.").remedy(OTHERWISE)
        .option("--top-k", "N", "Route each token to N experts");
    public static final Setting<ExpertRouterMode> MODE = Setting.constant("mode", ExpertRouterMode.SOFTMAX_TOPK,
        "How logits become a set of experts and their weights.");
    public static final Setting<LogitsType> TYPE =
        Setting.constant("type", LogitsType.BF16, "Storage type of the logits on the device.");
    public static final Setting<Integer> GROUPS = Setting.integer("groups", "", 1, 1, MAX_GROUPS,
        "Equal groups that the experts are split into; 1 in modes other than SIGMOID_BIAS.").remedy(OTHERWISE);
    public static final Setting<Integer> TOP_GROUPS = Setting.integer("topGroups", "", 1, 1, MAX_GROUPS,
        "Groups that a token's experts come from; at most as many as there are.").remedy(OTHERWISE);
    public static final Setting<Boolean> RENORMALISE =
        Setting.flag("renormalise", false, "Whether weights are divided by the sum of the chosen.");
    public static final Setting<Double> SCALE = Setting.real("scale", "", 1.0, Double.MIN_VALUE, Float.MAX_VALUE,
        "Factor of the weights.").remedy("give 1 to leave weights alone");
    public static final List<Setting<?>> SETTINGS =
        List.of(EXPERTS, TOP_K, MODE, TYPE, GROUPS, TOP_GROUPS, RENORMALISE, SCALE);

    public ExpertRouterSpec
    {
        EXPERTS.check(experts);
        TOP_K.check(topK);
        MODE.check(mode);
        TYPE.check(type);
        GROUPS.check(groups);
        TOP_GROUPS.check(topGroups);
        SCALE.check((double)scale);
        checkAtMost(TOP_K, topK, EXPERTS, experts);
        checkAtMost(TOP_GROUPS, topGroups, GROUPS, groups);
        checkGroups(experts, topK, mode, groups, topGroups);
        checkBias(experts, mode, bias);
        bias = bias == null ? null : bias.clone();
    }

    /** Without groups and bias, weights as they come. */
    public static ExpertRouterSpec plain(
        final int experts, final int topK, final ExpertRouterMode mode, final LogitsType type)
    {
        return new ExpertRouterSpec(experts, topK, mode, type, 1, 1, false, 1.0f, null);
    }

    public ExpertRouterSpec withGroups(final int count, final int top)
    {
        return new ExpertRouterSpec(experts, topK, mode, type, count, top, renormalise, scale, bias);
    }

    public ExpertRouterSpec withRenormalise(final boolean value)
    {
        return new ExpertRouterSpec(experts, topK, mode, type, groups, topGroups, value, scale, bias);
    }

    public ExpertRouterSpec withScale(final float value)
    {
        return new ExpertRouterSpec(experts, topK, mode, type, groups, topGroups, renormalise, value, bias);
    }

    /** @param value null: no bias. */
    public ExpertRouterSpec withBias(final float[] value)
    {
        return new ExpertRouterSpec(experts, topK, mode, type, groups, topGroups, renormalise, scale, value);
    }

    @Override
    public float[] bias()
    {
        return bias == null ? null : bias.clone();
    }

    /** Experts of one group. */
    public int groupSize()
    {
        return experts / groups;
    }

    /** Bytes of an id in a result: 1 up to 256 experts, 2 above. */
    public int idBytes()
    {
        return experts <= MAX_EXPERTS_PER_BYTE ? Byte.BYTES : Short.BYTES;
    }

    private static void checkAtMost(
        final Setting<Integer> part, final int value, final Setting<Integer> whole, final int most)
    {
        if (value > most)
        {
            throw ConfigException.because(part.of(value), " is not between 1 and ", whole.of(most))
                .allowed("between 1 and " + most).remedy("give at most " + most);
        }
    }

    private static void checkGroups(
        final int experts, final int topK, final ExpertRouterMode mode, final int groups, final int topGroups)
    {
        if (groups > 1 && mode != ExpertRouterMode.SIGMOID_BIAS)
        {
            throw ConfigException.because(GROUPS.of(groups), " goes with SIGMOID_BIAS alone, not with ", MODE.of(mode))
                .allowed("1").remedy("give 1");
        }
        if (experts % groups != 0)
        {
            throw ConfigException.because(EXPERTS.of(experts), " do not split into ", GROUPS.of(groups), " of one size")
                .allowed("a multiple of " + groups).remedy("give a number of groups that divides them");
        }
        if (topGroups * (experts / groups) < topK)
        {
            throw ConfigException.because(TOP_GROUPS.of(topGroups), " of " + experts / groups +
                    " experts each hold fewer than ", TOP_K.of(topK), " experts")
                .allowed("enough for topK").remedy("give more groups or a smaller ", TOP_K.named());
        }
    }

    private static void checkBias(final int experts, final ExpertRouterMode mode, final float[] bias)
    {
        if (bias == null)
        {
            return;
        }
        if (mode != ExpertRouterMode.SIGMOID_BIAS)
        {
            throw ConfigException.because(BIAS, " goes with SIGMOID_BIAS alone, not with ", MODE.of(mode))
                .allowed("none").remedy("leave it out");
        }
        if (bias.length != experts)
        {
            throw ConfigException.because(BIAS, " has " + bias.length + " values for ", EXPERTS.of(experts))
                .allowed("one value for each expert").remedy("give one for each expert");
        }
        for (int expert = 0; expert < experts; expert++)
        {
            if (!Float.isFinite(bias[expert]))
            {
                throw ConfigException.because(BIAS, " of expert " + expert + " is " + bias[expert])
                    .allowed("finite numbers").remedy("give a finite number for each expert");
            }
        }
    }
}
