// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;

/**
 * The shape of routed experts: MoE layers, experts per layer, and experts chosen per token and layer.
 *
 * @param moeLayers 1 to 1,024; dense layers do not count.
 * @param experts   1 to 32,767, the most an int16 id can name.
 * @param topK      1 to {@code experts}.
 */
public record ModelShape(int moeLayers, int experts, int topK)
{
    public static final int MAX_EXPERTS = Short.MAX_VALUE;
    public static final int MAX_MOE_LAYERS = 1024;
    /** The most experts whose ids fit one byte. */
    public static final int MAX_EXPERTS_PER_BYTE = 256;

    public ModelShape
    {
        if (moeLayers < 1 || moeLayers > MAX_MOE_LAYERS)
        {
            throw new ConfigException(
                "moeLayers=" + moeLayers + " is not between 1 and " + MAX_MOE_LAYERS + "; give the number of MoE layers.");
        }
        if (experts < 1 || experts > MAX_EXPERTS)
        {
            throw new ConfigException("experts=" + experts + " is not between 1 and " + MAX_EXPERTS +
                ", the most that an int16 expert id can name; give the number of experts per layer.");
        }
        if (topK < 1 || topK > experts)
        {
            throw new ConfigException(
                "topK=" + topK + " is not between 1 and experts=" + experts + "; a token is routed to distinct experts.");
        }
    }

    /** Bytes of one expert id in storage and journal: 1 up to 256 experts, else 2. */
    public int idBytes()
    {
        return experts <= MAX_EXPERTS_PER_BYTE ? 1 : 2;
    }

    /** Bytes of one row, the routed experts of one token in {@code [MoE layer][k]} order. */
    public int rowBytes()
    {
        return moeLayers * topK * idBytes();
    }
}
