// SPDX-License-Identifier: Apache-2.0
package com.example.backend;

import io.signalbox.experts.ModelShape;
import io.signalbox.model.LayerWeights;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightMatrix;
import io.signalbox.model.forward.TokenSampler;

import java.util.ArrayList;
import java.util.List;

/**
 * The outer parts of a model: embedding, head, and the routers of its MoE layers, all of them over the mean of the last
 * embeddings. Immutable; any number of threads may read it.
 */
final class BigramModel
{
    /** A matrix on the heap, row by row. */
    private record Rows(int columns, float[] weights)
    {
        private Rows(final WeightMatrix matrix)
        {
            this(matrix.columns(), new float[matrix.count()]);
            matrix.copyTo(weights);
        }

        private int count()
        {
            return weights.length / columns;
        }

        private float dot(final int row, final float[] vector)
        {
            float sum = 0.0f;
            for (int i = 0; i < columns; i++)
            {
                sum += weights[row * columns + i] * vector[i];
            }
            return sum;
        }
    }

    private final ModelShape shape;
    private final int window;
    private final Rows embedding;
    private final Rows head;
    private final List<Rows> routers = new ArrayList<>();

    BigramModel(final ModelWeights model, final int window)
    {
        this.window = window;
        shape = model.plan().shape();
        embedding = new Rows(model.embedding());
        head = new Rows(model.head());
        for (final LayerWeights layer : model.layers())
        {
            if (layer.moe() != null)
            {
                routers.add(new Rows(layer.moe().router()));
            }
        }
    }

    /** Tokens up to a position of which its state is made. */
    int window()
    {
        return window;
    }

    /** The mean of the embeddings up to a position of the entry. */
    float[] state(final BigramStep.Entry entry, final int position)
    {
        final float[] state = new float[embedding.columns()];
        final int first = Math.max(0, position + 1 - window);
        for (int i = first; i <= position; i++)
        {
            final int from = entry.token(i) * embedding.columns();
            for (int column = 0; column < state.length; column++)
            {
                state[column] += embedding.weights()[from + column] / (position + 1 - first);
            }
        }
        return state;
    }

    /** The token after the entry, sampled as its request wants it: a function of state, seed and position alone. */
    int next(final float[] state, final BigramStep.Entry entry)
    {
        final float[] logits = new float[head.count()];
        for (int row = 0; row < logits.length; row++)
        {
            logits[row] = head.dot(row, state);
        }
        return new TokenSampler().next(logits, 0, logits.length, entry.sampling(), entry.end());
    }

    /** The experts with the largest router logits, best first, {@code [MoE layer][k]}. */
    int[] experts(final float[] state)
    {
        final int[] ids = new int[shape.rowIds()];
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            final boolean[] taken = new boolean[shape.experts()];
            for (int k = 0; k < shape.topK(); k++)
            {
                final int id = best(routers.get(layer), state, taken);
                taken[id] = true;
                ids[layer * shape.topK() + k] = id;
            }
        }
        return ids;
    }

    private static int best(final Rows rows, final float[] state, final boolean[] taken)
    {
        int best = -1;
        float most = Float.NEGATIVE_INFINITY;
        for (int row = 0; row < rows.count(); row++)
        {
            final float logit = taken[row] ? Float.NEGATIVE_INFINITY : rows.dot(row, state);
            if (best < 0 && !taken[row] || logit > most)
            {
                best = row;
                most = logit;
            }
        }
        return best;
    }
}
