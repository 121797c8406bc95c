// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The routed experts of a request's tokens, {@code [row][MoE layer][k]}. Immutable. Row {@code r} belongs to the token at
 * position {@code start() + r} of the request; the last generated token was never fed, and has none.
 */
public final class RoutedExperts
{
    /** The experts of one row. */
    public enum RowState
    {
        /** Nobody has them: every id is {@link RoutedExpertPages#MISSING}. */
        MISSING,
        /** Computed for this request. */
        CAPTURED,
        /** They came with a shared block from the request that computed it. */
        INHERITED
    }

    /** Generation of a row that no weights computed. */
    public static final int NO_GENERATION = -1;
    private static final RowState[] STATES = RowState.values();

    private final int start;
    private final int rows;
    private final ModelShape shape;
    private final short[] ids;
    /** Null if the shape has no combine weights. */
    private final float[] combineWeights;
    private final byte[] states;
    /** Rows by state. */
    private final int[] counts = new int[STATES.length];
    private final int promptTokens;
    private final List<WeightSpan> weights;

    /** Keeps the arrays: nobody else may change them. */
    RoutedExperts(
        final int start,
        final int rows,
        final ModelShape shape,
        final short[] ids,
        final float[] combineWeights,
        final byte[] states)
    {
        this(start, rows, shape, ids, combineWeights, states, 0, List.of());
    }

    private RoutedExperts(
        final int start,
        final int rows,
        final ModelShape shape,
        final short[] ids,
        final float[] combineWeights,
        final byte[] states,
        final int promptTokens,
        final List<WeightSpan> weights)
    {
        this.start = start;
        this.rows = rows;
        this.shape = shape;
        this.ids = ids;
        this.combineWeights = combineWeights;
        this.states = states;
        this.promptTokens = promptTokens;
        this.weights = weights;
        for (final byte state : states)
        {
            counts[state]++;
        }
    }

    /**
     * The same rows with what the engine knows of their request.
     *
     * @param prompt tokens of its prompt.
     * @param spans  which weights computed which positions of the request.
     */
    public RoutedExperts of(final int prompt, final List<WeightSpan> spans)
    {
        return new RoutedExperts(start, rows, shape, ids, combineWeights, states, prompt, spans.stream()
            .map(span -> new WeightSpan(
                Math.max(span.from(), start), Math.min(span.to(), start + rows), span.generation()))
            .filter(span -> span.from() < span.to())
            .toList());
    }

    /** The same rows; inherited ones have {@link RoutedExpertPages#MISSING} and NaN as missing ones do; states stay. */
    public RoutedExperts withoutInherited()
    {
        final short[] ownIds = ids.clone();
        final float[] ownWeights = combineWeights == null ? null : combineWeights.clone();
        final int width = shape.rowIds();
        for (int row = 0; row < rows; row++)
        {
            if (states[row] == RowState.INHERITED.ordinal())
            {
                Arrays.fill(ownIds, row * width, (row + 1) * width, RoutedExpertPages.MISSING);
                if (ownWeights != null)
                {
                    Arrays.fill(ownWeights, row * width, (row + 1) * width, Float.NaN);
                }
            }
        }
        return new RoutedExperts(start, rows, shape, ownIds, ownWeights, states, promptTokens, weights);
    }

    /** Position of the first row in the request. */
    public int start()
    {
        return start;
    }

    public int rows()
    {
        return rows;
    }

    /** Layers, experts and top-k; {@link ModelShape#layerIds} says which layers of the model the MoE layers are. */
    public ModelShape shape()
    {
        return shape;
    }

    /** Rows of tokens of the prompt; they come first, and rows of generated tokens behind them. */
    public int promptRows()
    {
        return Math.max(0, Math.min(rows, promptTokens - start));
    }

    /** Rows of generated tokens. */
    public int generatedRows()
    {
        return rows - promptRows();
    }

    /** Logical id of the expert, or {@link RoutedExpertPages#MISSING}. */
    public short expert(final int row, final int moeLayer, final int k)
    {
        return ids[(row * shape.moeLayers() + moeLayer) * shape.topK() + k];
    }

    /** A copy of all ids in row order. */
    public short[] ids()
    {
        return ids.clone();
    }

    /**
     * Puts ids of {@link #ids} into a buffer, without a further copy.
     *
     * @param from  index of the first one.
     * @param count ids, for which the buffer has room.
     */
    public void putIds(final int from, final int count, final ShortBuffer target)
    {
        target.put(ids, from, count);
    }

    /** Whether the rows have combine weights, which {@link ModelShape#combineWeights} asks for. */
    public boolean hasCombineWeights()
    {
        return combineWeights != null;
    }

    /**
     * The factor that the model gave the output of expert {@link #expert}, exactly as the backend captured it; NaN in a
     * missing row, and only there.
     *
     * @throws RoutedExpertsException if combine weights were not captured.
     */
    public float combineWeight(final int row, final int moeLayer, final int k)
    {
        return captured()[(row * shape.moeLayers() + moeLayer) * shape.topK() + k];
    }

    /**
     * A copy of all combine weights in the order of {@link #ids}.
     *
     * @throws RoutedExpertsException if combine weights were not captured.
     */
    public float[] combineWeights()
    {
        return captured().clone();
    }

    /**
     * Puts combine weights of {@link #combineWeights} into a buffer, as {@link #putIds}.
     *
     * @throws RoutedExpertsException if combine weights were not captured.
     */
    public void putCombineWeights(final int from, final int count, final FloatBuffer target)
    {
        target.put(captured(), from, count);
    }

    private float[] captured()
    {
        if (combineWeights == null)
        {
            throw new RoutedExpertsException(
                "combine weights were not captured; ask for them by ModelShape.withCombineWeights(true).");
        }
        return combineWeights;
    }

    public RowState state(final int row)
    {
        return STATES[states[row]];
    }

    /** Rows in this state. */
    public int count(final RowState state)
    {
        return counts[state.ordinal()];
    }

    /**
     * Which weights computed which rows, by position in the request, in ascending order. The token at a position was sampled
     * by those of the position before it.
     */
    public List<WeightSpan> weights()
    {
        return weights;
    }

    /** Generation of the weights that computed the row, or {@link #NO_GENERATION}. */
    public int generation(final int row)
    {
        final int position = start + row;
        for (final WeightSpan span : weights)
        {
            if (position >= span.from() && position < span.to())
            {
                return span.generation();
            }
        }
        return NO_GENERATION;
    }

    @Override
    public String toString()
    {
        return rows + " rows of " + shape.moeLayers() + " layers and top-" + shape.topK() + " from position " + start +
            ": " + count(RowState.CAPTURED) + " captured, " + count(RowState.INHERITED) + " inherited, " +
            count(RowState.MISSING) + " missing";
    }
}
