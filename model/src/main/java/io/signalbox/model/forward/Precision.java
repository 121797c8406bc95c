// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;

/**
 * The arithmetic of a forward pass. Sums are float32 in both. {@link #BF16} rounds what it keeps to bf16, to nearest, ties
 * to even, after: embedding; each of the two products of a norm; every linear layer; cosine and sine, the two products of
 * RoPE and their sum; the product of query and key, and its product with the scale; the softmax of attention, and the sum
 * over values; residuals; SiLU, its product with the other half, and each expert's output; the weight of an expert and the
 * product with it, unless the model keeps them; the sum over experts; logits. A model with sinks and clamped experts
 * (gpt-oss) rounds a norm once, after its weight; a linear layer with a bias once, after the bias, but in experts before it,
 * too; the differences of scores and sink from their maximum; each step of the activation of experts.
 */
public enum Precision
{
    F32,
    BF16;

    private static final int DROPPED_BITS = 16;
    private static final int HALF = 0x7fff;
    private static final int QUIET = 0x40_0000;

    /** The arithmetic in which a model of such a type runs unless it is asked for another: that of float32 for float16. */
    public static Precision of(final WeightType type)
    {
        return type == WeightType.BF16 ? BF16 : F32;
    }

    /**
     * The weights with which a pass of this arithmetic computes. In {@link #BF16}, a model of bfloat16 has all weights
     * rounded to bf16, as transformers loads them, but the correction biases of routers. Otherwise the weights are exact.
     */
    public ModelWeights weights(final ModelWeights exact)
    {
        return this == BF16 && exact.plan().type() == WeightType.BF16 ? exact.inBf16() : exact;
    }

    /** Rounds a value that the pass keeps. */
    float round(final float value)
    {
        return this == F32 ? value : nearestBf16(value);
    }

    void round(final float[] values, final int at, final int count)
    {
        if (this == BF16)
        {
            for (int i = at; i < at + count; i++)
            {
                values[i] = nearestBf16(values[i]);
            }
        }
    }

    private static float nearestBf16(final float value)
    {
        final int bits = Float.floatToRawIntBits(value);
        final int rounded = value != value ? bits | QUIET : bits + HALF + (bits >>> DROPPED_BITS & 1);
        return Float.intBitsToFloat(rounded >>> DROPPED_BITS << DROPPED_BITS);
    }
}
