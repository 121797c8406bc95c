// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

/** Element type of expert ids in a buffer; always little-endian. */
public enum ExpertIdType
{
    UINT8(Byte.BYTES, 1 << 8, false),
    UINT16(Short.BYTES, 1 << 16, false),
    INT16(Short.BYTES, 1 << 15, true),
    INT32(Integer.BYTES, Integer.MAX_VALUE, true);

    private final int bytes;
    private final int maxExperts;
    private final boolean signed;

    ExpertIdType(final int bytes, final int maxExperts, final boolean signed)
    {
        this.bytes = bytes;
        this.maxExperts = maxExperts;
        this.signed = signed;
    }

    /** Bytes of one id. */
    public int bytes()
    {
        return bytes;
    }

    /** The most experts whose ids the type can name. */
    public int maxExperts()
    {
        return maxExperts;
    }

    /** Whether the type has -1, which a missing row reads as. */
    public boolean isSigned()
    {
        return signed;
    }

    /** The narrowest unsigned type for the shape, the width of its rows in storage. */
    public static ExpertIdType compact(final ModelShape shape)
    {
        return switch (shape.idBytes())
        {
            case Byte.BYTES -> UINT8;
            case Short.BYTES -> UINT16;
            default -> INT32;
        };
    }
}
