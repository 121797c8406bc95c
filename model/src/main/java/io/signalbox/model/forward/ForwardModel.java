// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.AttentionWeights;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.FeedForward;
import io.signalbox.model.LatentWeights;
import io.signalbox.model.LayerWeights;
import io.signalbox.model.ModelException;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.MoeWeights;
import io.signalbox.model.WeightType;

import java.util.ArrayList;
import java.util.List;

/**
 * A model whose weights are on the heap, ready for {@link ForwardPass}. Immutable; all ranks share it.
 */
public final class ForwardModel
{
    /** Gate, up and down of an MLP or of an expert. */
    record Mlp(Matrix gate, Matrix up, Matrix down)
    {
        private static Mlp of(final MatrixStore store, final FeedForward weights)
        {
            if (weights == null)
            {
                return null;
            }
            final FeedForward.Biases biases = weights.biases();
            return new Mlp(store.of(weights.gate(), biases == null ? null : biases.gate()),
                store.of(weights.up(), biases == null ? null : biases.up()),
                store.of(weights.down(), biases == null ? null : biases.down()));
        }

        int width()
        {
            return gate.rows();
        }
    }

    /** Router and experts of an MoE layer; bias and shared experts may be {@code null}. */
    record Experts(Matrix router, float[] bias, List<Mlp> experts, Mlp shared)
    {
        private static Experts of(final MatrixStore store, final MoeWeights weights)
        {
            return weights == null ? null : new Experts(store.of(weights.router(), weights.routerBias()), weights.bias(),
                weights.experts().stream().map(expert -> Mlp.of(store, expert)).toList(), Mlp.of(store, weights.shared()));
        }
    }

    /** Projections of compressed queries, keys and values. */
    record Latent(
        Matrix queryDown, float[] queryNorm, Matrix queryUp, Matrix keyValueDown, float[] keyValueNorm, Matrix keyValueUp)
    {
        private static Latent of(final MatrixStore store, final LatentWeights weights)
        {
            return weights == null ? null : new Latent(store.of(weights.queryDown()), weights.queryNorm(),
                store.of(weights.queryUp()), store.of(weights.keyValueDown()), weights.keyValueNorm(),
                store.of(weights.keyValueUp()));
        }
    }

    /** Projections of attention; with {@code latent}, key and value are {@code null}. Without sinks these are, too. */
    record Attention(
        Matrix query, Matrix key, Matrix value, Matrix output, float[] queryNorm, float[] keyNorm, Latent latent,
        float[] sinks)
    {
        private static Attention of(final MatrixStore store, final AttentionWeights weights)
        {
            final AttentionWeights.Biases biases = weights.biases();
            return new Attention(store.of(weights.query(), biases == null ? null : biases.query()),
                store.of(weights.key(), biases == null ? null : biases.key()),
                store.of(weights.value(), biases == null ? null : biases.value()),
                store.of(weights.output(), biases == null ? null : biases.output()), weights.queryNorm(),
                weights.keyNorm(), Latent.of(store, weights.latent()), weights.sinks());
        }
    }

    /** One layer; it has an MLP or experts. */
    record Layer(float[] inputNorm, Attention attention, float[] postAttentionNorm, Mlp dense, Experts experts)
    {
    }

    private final DecoderPlan plan;
    private final Precision precision;
    private final Matrix embedding;
    private final List<Layer> layers;
    private final float[] finalNorm;
    private final Matrix head;

    private ForwardModel(
        final DecoderPlan plan, final Precision precision, final Matrix embedding, final List<Layer> layers,
        final float[] finalNorm, final Matrix head)
    {
        this.plan = plan;
        this.precision = precision;
        this.embedding = embedding;
        this.layers = layers;
        this.finalNorm = finalNorm;
        this.head = head;
    }

    /** Copies the weights to the heap, for the arithmetic in which such a model runs unless it is asked for another. */
    public static ForwardModel of(final ModelWeights weights)
    {
        return of(weights, Precision.of(weights.plan().type()));
    }

    /**
     * Copies the {@linkplain Precision#weights weights of an arithmetic} to the heap.
     *
     * @param precision of the passes. A model of float32 can be computed in any.
     */
    public static ForwardModel of(final ModelWeights exact, final Precision precision)
    {
        final ModelWeights weights = precision.weights(exact);
        final MatrixStore store = new MatrixStore(weights);
        final Matrix embedding = store.of(weights.embedding());
        final Matrix head = weights.plan().tiedEmbeddings() ? embedding : store.of(weights.head());
        final List<Layer> layers = new ArrayList<>();
        for (final LayerWeights layer : weights.layers())
        {
            layers.add(new Layer(layer.inputNorm(), Attention.of(store, layer.attention()), layer.postAttentionNorm(),
                Mlp.of(store, layer.dense()), Experts.of(store, layer.moe())));
        }
        store.copy();
        return new ForwardModel(weights.plan(), precision, embedding, List.copyOf(layers), weights.finalNorm(), head);
    }

    public DecoderPlan plan()
    {
        return plan;
    }

    /** @throws ModelException if the weights were copied for another arithmetic. */
    public void requireCopiedFor(final Precision wanted)
    {
        if (wanted != precision && plan.type() == WeightType.BF16)
        {
            throw new ModelException("a model of bfloat16 whose weights were copied for " + precision +
                " cannot be computed in " + wanted, "copy them for " + wanted);
        }
    }

    /** The arithmetic for which the weights were copied. */
    public Precision precision()
    {
        return precision;
    }

    Matrix embedding()
    {
        return embedding;
    }

    Layer layer(final int index)
    {
        return layers.get(index);
    }

    float[] finalNorm()
    {
        return finalNorm;
    }

    Matrix head()
    {
        return head;
    }

    @Override
    public String toString()
    {
        return plan + " in " + precision;
    }
}
