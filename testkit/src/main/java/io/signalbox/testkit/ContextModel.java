// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.StateDigest;
import io.signalbox.experts.ModelShape;

import java.util.Arrays;

/**
 * A slow and obvious model: the next token and the routed experts of a token are functions of the tokens up to there, and of
 * nothing else. Whatever a scheduler does with blocks, steps and ranks, a request gets these tokens and these rows.
 */
public final class ContextModel
{
    /** Token ids are below it. */
    public static final int VOCABULARY = 1000;

    private final ModelShape shape;

    /** @param shape of the rows; {@code null} if none are wanted. */
    public ContextModel(final ModelShape shape)
    {
        this.shape = shape;
    }

    /** The context behind one more token; 0 is the empty one. */
    public static long context(final long before, final int token)
    {
        return StateDigest.mix(before, token, 5);
    }

    /** The token that is sampled in a context. */
    public static int next(final long context)
    {
        return (int)Math.floorMod(context, (long)VOCABULARY);
    }

    /** The prompt, and so many generated tokens behind it. */
    public static int[] tokens(final int[] prompt, final int generated)
    {
        final int[] tokens = Arrays.copyOf(prompt, prompt.length + generated);
        long context = 0;
        for (int i = 0; i < tokens.length; i++)
        {
            if (i >= prompt.length)
            {
                tokens[i] = next(context);
            }
            context = context(context, tokens[i]);
        }
        return tokens;
    }

    /** One routed expert of the token that ends this context; those of one layer differ. */
    public int expert(final long context, final int layer, final int k)
    {
        return (int)(Math.floorMod(StateDigest.mix(context, layer), (long)shape.experts()) + k) % shape.experts();
    }

    /** The combine weight of one routed expert: positive, at most 1, and another one in nearly every context and place. */
    public static float combineWeight(final long context, final int place)
    {
        return (1 + (StateDigest.mix(context, place, 7) >>> 41)) * 0x1p-23f;
    }

    /** The combine weights of the token at a position, in the order of {@link #row}. */
    public float[] combineWeights(final int[] tokens, final int position)
    {
        final long context = contextAt(tokens, position);
        final float[] weights = new float[shape.rowIds()];
        for (int i = 0; i < weights.length; i++)
        {
            weights[i] = combineWeight(context, i);
        }
        return weights;
    }

    /** The routed experts of the token at a position, layer by layer. */
    public short[] row(final int[] tokens, final int position)
    {
        return row(contextAt(tokens, position));
    }

    private static long contextAt(final int[] tokens, final int position)
    {
        long context = 0;
        for (int i = 0; i <= position; i++)
        {
            context = context(context, tokens[i]);
        }
        return context;
    }

    /** The routed experts of the token that ends this context, layer by layer. */
    short[] row(final long context)
    {
        final short[] ids = new short[shape.rowIds()];
        for (int i = 0; i < ids.length; i++)
        {
            ids[i] = (short)expert(context, i / shape.topK(), i % shape.topK());
        }
        return ids;
    }

    ModelShape shape()
    {
        return shape;
    }
}
