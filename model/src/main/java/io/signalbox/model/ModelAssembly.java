// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.ArrayList;
import java.util.List;

/** Puts the tensors of a source together as a plan needs them. */
final class ModelAssembly
{
    private final DecoderPlan plan;
    private final TensorSource source;
    private final int hidden;

    ModelAssembly(final DecoderPlan plan, final TensorSource source)
    {
        this.plan = plan;
        this.source = source;
        hidden = plan.hidden();
    }

    ModelWeights weights()
    {
        final WeightMatrix embedding = source.matrix("model.embed_tokens.weight", plan.vocabulary(), hidden);
        final List<LayerWeights> layers = new ArrayList<>();
        for (int layer = 0; layer < plan.layers(); layer++)
        {
            layers.add(layer(layer));
        }
        final WeightMatrix head = plan.tiedEmbeddings() ? embedding :
            source.matrix("lm_head.weight", plan.vocabulary(), hidden);
        return new ModelWeights(plan, embedding, List.copyOf(layers), vector("model.norm.weight", hidden), head);
    }

    private LayerWeights layer(final int layer)
    {
        final String prefix = "model.layers." + layer + ".";
        final boolean moe = plan.isMoe(layer);
        return new LayerWeights(
            vector(prefix + "input_layernorm.weight", hidden), attention(prefix + "self_attn."),
            vector(prefix + "post_attention_layernorm.weight", hidden),
            moe ? null : feedForward(prefix + "mlp.", plan.denseWidth()), moe ? moe(prefix) : null);
    }

    private AttentionWeights attention(final String prefix)
    {
        final AttentionPlan attention = plan.attention();
        final WeightMatrix output = source.matrix(prefix + "o_proj.weight", hidden, attention.outputWidth());
        if (attention.latent() != null)
        {
            return latent(prefix, output);
        }
        return AttentionWeights.of(
            source.matrix(prefix + "q_proj.weight", attention.queryWidth(), hidden),
            source.matrix(prefix + "k_proj.weight", attention.keyWidth(), hidden),
            source.matrix(prefix + "v_proj.weight", attention.valueWidth(), hidden), output)
            .withNorms(norm(prefix + "q_norm.weight", attention.queryWidth()),
                norm(prefix + "k_norm.weight", attention.keyWidth()))
            .withBiases(biases(prefix))
            .withSinks(attention.sinks() ? vector(prefix + "sinks", attention.heads()) : null);
    }

    private AttentionWeights.Biases biases(final String prefix)
    {
        final AttentionPlan attention = plan.attention();
        return !attention.biases() ? null : new AttentionWeights.Biases(
            vector(prefix + "q_proj.bias", attention.queryWidth()), vector(prefix + "k_proj.bias", attention.keyWidth()),
            vector(prefix + "v_proj.bias", attention.valueWidth()), vector(prefix + "o_proj.bias", hidden));
    }

    private float[] norm(final String name, final int fullWidth)
    {
        switch (plan.attention().qkNorm())
        {
            case FULL_WIDTH:
                return vector(name, fullWidth);
            case PER_HEAD:
                return vector(name, plan.attention().headSize());
            default:
                return null;
        }
    }

    private AttentionWeights latent(final String prefix, final WeightMatrix output)
    {
        final AttentionPlan attention = plan.attention();
        final LatentAttention latent = attention.latent();
        final int rank = latent.queryRank();
        final int keyValueRank = latent.keyValueRank();
        final LatentWeights weights = new LatentWeights(
            rank == 0 ? null : source.matrix(prefix + "q_a_proj.weight", rank, hidden),
            rank == 0 ? null : vector(prefix + "q_a_layernorm.weight", rank),
            rank == 0 ? null : source.matrix(prefix + "q_b_proj.weight", attention.queryWidth(), rank),
            source.matrix(prefix + "kv_a_proj_with_mqa.weight", keyValueRank + latent.rotarySize(), hidden),
            vector(prefix + "kv_a_layernorm.weight", keyValueRank),
            source.matrix(prefix + "kv_b_proj.weight", attention.heads() * (latent.plainSize() + latent.valueSize()),
                keyValueRank));
        final WeightMatrix query =
            rank == 0 ? source.matrix(prefix + "q_proj.weight", attention.queryWidth(), hidden) : null;
        return AttentionWeights.of(query, null, null, output).withLatent(weights);
    }

    private FeedForward feedForward(final String prefix, final int width)
    {
        return new FeedForward(source.matrix(prefix + "gate_proj.weight", width, hidden),
            source.matrix(prefix + "up_proj.weight", width, hidden),
            source.matrix(prefix + "down_proj.weight", hidden, width));
    }

    private MoeWeights moe(final String layer)
    {
        final ExpertsPlan experts = plan.experts();
        if (plan.family() == ModelFamily.GPT_OSS)
        {
            return new MoeWeights(source.matrix(layer + "mlp.router.weight", experts.experts(), hidden), null,
                vector(layer + "mlp.router.bias", experts.experts()), inputFirstExperts(layer + "mlp.experts."), null);
        }
        final boolean fused = source.has(layer + "mlp.experts.gate_up_proj");
        final String block = layer + (plan.family() == ModelFamily.MIXTRAL && !fused ? "block_sparse_moe." : "mlp.");
        return new MoeWeights(
            source.matrix(block + "gate.weight", experts.experts(), hidden),
            experts.hasChoiceBias() ? vector(block + "gate.e_score_correction_bias", experts.experts()) : null, null,
            fused ? fusedExperts(block + "experts.") : experts(block + "experts."),
            experts.sharedExperts() == 0 ? null : feedForward(block + "shared_experts.", experts.sharedWidth()));
    }

    private List<FeedForward> experts(final String prefix)
    {
        final boolean numbered = plan.family() == ModelFamily.MIXTRAL;
        final int width = plan.experts().width();
        final List<FeedForward> experts = new ArrayList<>();
        for (int expert = 0; expert < plan.experts().experts(); expert++)
        {
            final String name = prefix + expert + ".";
            experts.add(numbered ? new FeedForward(source.matrix(name + "w1.weight", width, hidden),
                source.matrix(name + "w3.weight", width, hidden), source.matrix(name + "w2.weight", hidden, width)) :
                feedForward(name, width));
        }
        return List.copyOf(experts);
    }

    /** Per expert the gate's rows, then those of up. */
    private List<FeedForward> fusedExperts(final String prefix)
    {
        final int count = plan.experts().experts();
        final int width = plan.experts().width();
        final List<MappedMatrix> gateUp = source.matrices(prefix + "gate_up_proj", count, 2 * width, hidden);
        final List<MappedMatrix> down = source.matrices(prefix + "down_proj", count, hidden, width);
        final List<FeedForward> experts = new ArrayList<>();
        for (int expert = 0; expert < count; expert++)
        {
            experts.add(new FeedForward(
                gateUp.get(expert).part(0, width), gateUp.get(expert).part(width, width), down.get(expert)));
        }
        return List.copyOf(experts);
    }

    /** Per expert and input the weights of all outputs; gate and up alternate. */
    private List<FeedForward> inputFirstExperts(final String prefix)
    {
        final int count = plan.experts().experts();
        final int width = plan.experts().width();
        final List<? extends WeightMatrix> gateUp =
            source.inputMatrices(prefix + "gate_up_proj", count, hidden, 2 * width);
        final List<? extends WeightMatrix> down = source.inputMatrices(prefix + "down_proj", count, width, hidden);
        final float[] gateUpBias = vector(prefix + "gate_up_proj_bias", count, 2 * width);
        final float[] downBias = vector(prefix + "down_proj_bias", count, hidden);
        final List<FeedForward> experts = new ArrayList<>();
        for (int expert = 0; expert < count; expert++)
        {
            final int first = 2 * width * expert;
            final FeedForward.Biases biases = new FeedForward.Biases(every(gateUpBias, first, 2, width),
                every(gateUpBias, first + 1, 2, width), every(downBias, hidden * expert, 1, hidden));
            experts.add(new FeedForward(new TransposedMatrix(gateUp.get(expert), width, 0, 2),
                new TransposedMatrix(gateUp.get(expert), width, 1, 2),
                new TransposedMatrix(down.get(expert), hidden, 0, 1), biases));
        }
        return List.copyOf(experts);
    }

    private static float[] every(final float[] values, final int first, final int step, final int count)
    {
        final float[] taken = new float[count];
        for (int i = 0; i < count; i++)
        {
            taken[i] = values[first + i * step];
        }
        return taken;
    }

    /** Norms and biases are few, and one that is no number spoils every token: it is refused before anything runs. */
    private float[] vector(final String name, final int... shape)
    {
        final float[] vector = source.vector(name, shape);
        for (int i = 0; i < vector.length; i++)
        {
            if (!Float.isFinite(vector[i]))
            {
                throw new ModelException("the tensor " + name + " has " + vector[i] + " at index " + i +
                    ", which is no finite number", "copy or download the checkpoint again");
            }
        }
        return vector;
    }
}
