// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.testkit.ContextModel;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** The tokens and rows that a request must have: those of the test kit's {@link ContextModel}. */
final class ContentModel
{
    static final int VOCABULARY = ContextModel.VOCABULARY;
    static final ModelShape SHAPE = new ModelShape(3, 16, 2).withCombineWeights(true);
    private static final ContextModel MODEL = new ContextModel(SHAPE);

    private ContentModel()
    {
    }

    static long context(final long before, final int token)
    {
        return ContextModel.context(before, token);
    }

    static int next(final long context)
    {
        return ContextModel.next(context);
    }

    static int expert(final long context, final int layer, final int k)
    {
        return MODEL.expert(context, layer, k);
    }

    /** All tokens of the request, prompt first. */
    static int[] tokens(final Ask request)
    {
        return ContextModel.tokens(request.prompt(), request.maxNewTokens());
    }

    /** The first {@code count} tokens that the request generates. */
    static int[] generated(final Ask request, final int count)
    {
        final int prompt = request.prompt().length;
        return Arrays.copyOfRange(tokens(request), prompt, prompt + count);
    }

    /** Every row is there and the one of its context. */
    static void assertRows(final Ask request, final int generated, final RoutedExperts rows)
    {
        final int[] tokens = tokens(request);
        final int computed = request.prompt().length + Math.max(0, generated - 1);
        assertEquals(computed - request.rowsFrom(), rows.rows());
        long context = 0;
        for (int position = 0; position < computed; position++)
        {
            context = context(context, tokens[position]);
            if (position >= request.rowsFrom())
            {
                final int row = position - request.rowsFrom();
                assertArrayEquals(ids(context), ids(rows, row), "position " + position);
                assertArrayEquals(weights(context), weights(rows, row), "position " + position);
            }
        }
    }

    private static float[] weights(final long context)
    {
        final float[] weights = new float[SHAPE.rowIds()];
        for (int i = 0; i < weights.length; i++)
        {
            weights[i] = ContextModel.combineWeight(context, i);
        }
        return weights;
    }

    private static float[] weights(final RoutedExperts rows, final int row)
    {
        return Arrays.copyOfRange(rows.combineWeights(), row * SHAPE.rowIds(), (row + 1) * SHAPE.rowIds());
    }

    private static int[] ids(final long context)
    {
        final int[] ids = new int[SHAPE.rowIds()];
        for (int i = 0; i < ids.length; i++)
        {
            ids[i] = expert(context, i / SHAPE.topK(), i % SHAPE.topK());
        }
        return ids;
    }

    private static int[] ids(final RoutedExperts rows, final int row)
    {
        final int[] ids = new int[SHAPE.rowIds()];
        for (int i = 0; i < ids.length; i++)
        {
            ids[i] = rows.expert(row, i / SHAPE.topK(), i % SHAPE.topK());
        }
        return ids;
    }
}
