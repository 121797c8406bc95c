// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.ConfigException;

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

    public ExpertRouterSpec
    {
        checkRange("experts", experts, MIN_EXPERTS, MAX_EXPERTS);
        checkRange("topK", topK, 1, Math.min(MAX_TOP_K, experts));
        checkRange("groups", groups, 1, MAX_GROUPS);
        checkRange("topGroups", topGroups, 1, groups);
        checkGroups(experts, topK, mode, groups, topGroups);
        if (!(scale > 0) || Float.isInfinite(scale))
        {
            throw new ConfigException(
                "The router's scale=" + scale + " is not a number above 0; give 1 to leave weights alone.");
        }
        checkBias(experts, mode, bias);
        bias = bias == null ? null : bias.clone();
    }

    /** Without groups and bias, weights as they come. */
    public static ExpertRouterSpec plain(
        final int experts, final int topK, final ExpertRouterMode mode, final LogitsType type)
    {
        return new ExpertRouterSpec(experts, topK, mode, type, 1, 1, false, 1.0f, null);
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

    private static void checkRange(final String name, final int value, final int least, final int most)
    {
        if (value < least || value > most)
        {
            throw new ConfigException("The router's " + name + "=" + value + " is not between " + least + " and " + most +
                ", which the CUDA kernels are made for; give a value between them or use another backend.");
        }
    }

    private static void checkGroups(
        final int experts, final int topK, final ExpertRouterMode mode, final int groups, final int topGroups)
    {
        if (groups > 1 && mode != ExpertRouterMode.SIGMOID_BIAS)
        {
            throw new ConfigException(
                "The router's groups=" + groups + " goes with SIGMOID_BIAS alone, not with " + mode + "; give 1.");
        }
        if (experts % groups != 0)
        {
            throw new ConfigException("The router's experts=" + experts + " do not split into groups=" + groups +
                " of one size; give a number of groups that divides them.");
        }
        if (topGroups * (experts / groups) < topK)
        {
            throw new ConfigException("The router's topGroups=" + topGroups + " of " + experts / groups +
                " experts each hold fewer than topK=" + topK + " experts; give more groups or a smaller topK.");
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
            throw new ConfigException(
                "The router's bias goes with SIGMOID_BIAS alone, not with " + mode + "; leave it out.");
        }
        if (bias.length != experts)
        {
            throw new ConfigException("The router's bias has " + bias.length + " values for experts=" + experts +
                "; give one for each expert.");
        }
        for (int expert = 0; expert < experts; expert++)
        {
            if (!Float.isFinite(bias[expert]))
            {
                throw new ConfigException("The router's bias of expert " + expert + " is " + bias[expert] +
                    "; give a finite number for each expert.");
            }
        }
    }
}
