// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;

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
                "; give the number of experts per layer.");
        }
        if (topK < 1 || topK > experts)
        {
            throw new ConfigException(
                "topK=" + topK + " is not between 1 and experts=" + experts + "; a token is routed to distinct experts.");
        }
        final long rowBytes = (long)moeLayers * topK * idBytes(experts);
        if (rowBytes > MAX_ROW_BYTES)
        {
            throw new ConfigException("moeLayers=" + moeLayers + " with topK=" + topK + " makes rows of " + rowBytes +
                " bytes, above " + MAX_ROW_BYTES + "; give fewer layers or a smaller topK.");
        }
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
