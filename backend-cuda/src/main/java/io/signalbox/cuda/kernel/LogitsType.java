// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

/** Storage type of router logits on the device. */
public enum LogitsType
{
    BF16("bf16", 0, Short.BYTES),
    FP32("fp32", 1, Float.BYTES);

    private final String kernelPart;
    private final int code;
    private final int bytes;

    LogitsType(final String kernelPart, final int code, final int bytes)
    {
        this.kernelPart = kernelPart;
        this.code = code;
        this.bytes = bytes;
    }

    /** How kernels for this type say so in their names. */
    String kernelPart()
    {
        return kernelPart;
    }

    /** The type as kernels take it as an argument. */
    public int code()
    {
        return code;
    }

    /** Bytes of one logit. */
    public int bytes()
    {
        return bytes;
    }
}
