// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.AttentionWeights;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.FeedForward;
import io.signalbox.model.LatentWeights;
import io.signalbox.model.LayerWeights;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.MoeWeights;
import io.signalbox.model.WeightMatrix;

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
        private static Mlp of(final FeedForward weights)
        {
            return weights == null ? null :
                new Mlp(Matrix.of(weights.gate()), Matrix.of(weights.up()), Matrix.of(weights.down()));
        }

        int width()
        {
            return gate.rows();
        }
    }

    /** Router and experts of an MoE layer; bias and shared experts may be {@code null}. */
    record Experts(Matrix router, float[] bias, List<Mlp> experts, Mlp shared)
    {
        private static Experts of(final MoeWeights weights)
        {
            return weights == null ? null : new Experts(Matrix.of(weights.router()), weights.bias(),
                weights.experts().stream().map(Mlp::of).toList(), Mlp.of(weights.shared()));
        }
    }

    /** Projections of compressed queries, keys and values. */
    record Latent(
        Matrix queryDown, float[] queryNorm, Matrix queryUp, Matrix keyValueDown, float[] keyValueNorm, Matrix keyValueUp)
    {
        private static Latent of(final LatentWeights weights)
        {
            return weights == null ? null : new Latent(orNull(weights.queryDown()), weights.queryNorm(),
                orNull(weights.queryUp()), Matrix.of(weights.keyValueDown()), weights.keyValueNorm(),
                Matrix.of(weights.keyValueUp()));
        }
    }

    /** Projections of attention; with {@code latent}, key and value are {@code null}. */
    record Attention(
        Matrix query, Matrix key, Matrix value, Matrix output, float[] queryNorm, float[] keyNorm, Latent latent)
    {
        private static Attention of(final AttentionWeights weights)
        {
            return new Attention(orNull(weights.query()), orNull(weights.key()), orNull(weights.value()),
                Matrix.of(weights.output()), weights.queryNorm(), weights.keyNorm(), Latent.of(weights.latent()));
        }
    }

    /** One layer; it has an MLP or experts. */
    record Layer(float[] inputNorm, Attention attention, float[] postAttentionNorm, Mlp dense, Experts experts)
    {
    }

    private final DecoderPlan plan;
    private final Matrix embedding;
    private final List<Layer> layers;
    private final float[] finalNorm;
    private final Matrix head;

    private ForwardModel(
        final DecoderPlan plan, final Matrix embedding, final List<Layer> layers, final float[] finalNorm, final Matrix head)
    {
        this.plan = plan;
        this.embedding = embedding;
        this.layers = layers;
        this.finalNorm = finalNorm;
        this.head = head;
    }

    /** Copies the weights to the heap. */
    public static ForwardModel of(final ModelWeights weights)
    {
        final List<Layer> layers = new ArrayList<>();
        for (final LayerWeights layer : weights.layers())
        {
            layers.add(new Layer(layer.inputNorm(), Attention.of(layer.attention()), layer.postAttentionNorm(),
                Mlp.of(layer.dense()), Experts.of(layer.moe())));
        }
        final Matrix embedding = Matrix.of(weights.embedding());
        final Matrix head = weights.plan().tiedEmbeddings() ? embedding : Matrix.of(weights.head());
        return new ForwardModel(weights.plan(), embedding, List.copyOf(layers), weights.finalNorm(), head);
    }

    private static Matrix orNull(final WeightMatrix weights)
    {
        return weights == null ? null : Matrix.of(weights);
    }

    public DecoderPlan plan()
    {
        return plan;
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
}
