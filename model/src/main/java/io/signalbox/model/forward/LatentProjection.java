// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.AttentionPlan;
import io.signalbox.model.LatentAttention;

/**
 * Queries, keys and values of multi-head latent attention, expanded to heads, so that the cache holds what other models'
 * caches hold. The rotary part of a key is the same for all heads.
 */
final class LatentProjection
{
    private final AttentionPlan attention;
    private final LatentAttention plan;
    private final LinearStages linear;
    private final RopeTable rope;
    private float[] compressed = new float[0];
    private float[] normed = new float[0];
    private float[] expanded = new float[0];

    LatentProjection(final AttentionPlan attention, final LinearStages linear, final RopeTable rope)
    {
        this.attention = attention;
        plan = attention.latent();
        this.linear = linear;
        this.rope = rope;
    }

    void project(
        final TokenBatch batch, final ForwardModel.Attention weights, final float[] in, final float[] queries,
        final float[] keys, final float[] values)
    {
        final ForwardModel.Latent latent = weights.latent();
        final int tokens = batch.count();
        final int keyRank = plan.keyValueRank();
        final int downWidth = keyRank + plan.rotarySize();
        if (latent.queryDown() == null)
        {
            linear.run(weights.query(), in, tokens, queries);
        }
        else
        {
            compressed = Buffers.atLeast(compressed, tokens, plan.queryRank());
            linear.run(latent.queryDown(), in, tokens, compressed);
            norm(tokens, plan.queryRank(), plan.queryRank(), latent.queryNorm());
            linear.run(latent.queryUp(), normed, tokens, queries);
        }
        compressed = Buffers.atLeast(compressed, tokens, downWidth);
        linear.run(latent.keyValueDown(), in, tokens, compressed);
        norm(tokens, downWidth, keyRank, latent.keyValueNorm());
        expanded = Buffers.atLeast(expanded, tokens, latent.keyValueUp().rows());
        linear.run(latent.keyValueUp(), normed, tokens, expanded);
        linear.team().run(tokens, (token, worker) ->
            rotate(token, batch.position(token), queries, keys, values));
    }

    private void norm(final int tokens, final int stride, final int width, final float[] weights)
    {
        normed = Buffers.atLeast(normed, tokens, width);
        for (int token = 0; token < tokens; token++)
        {
            RmsNorm.apply(compressed, token * stride, width, weights, (float)LatentAttention.NORM_EPSILON,
                linear.precision(), normed, token * width, linear.products(0).lanes);
        }
    }

    private void rotate(
        final int token, final int position, final float[] queries, final float[] keys, final float[] values)
    {
        final int plain = plan.plainSize();
        final int size = attention.headSize();
        final int rotary = token * (plan.keyValueRank() + plan.rotarySize()) + plan.keyValueRank();
        rotate(compressed, rotary, position);
        for (int head = 0; head < attention.heads(); head++)
        {
            final int query = token * attention.queryWidth() + head * size;
            rotate(queries, query + plain, position);
            final int key = token * attention.keyWidth() + head * size;
            final int from = token * attention.heads() * (plain + plan.valueSize()) + head * (plain + plan.valueSize());
            System.arraycopy(expanded, from, keys, key, plain);
            System.arraycopy(compressed, rotary, keys, key + plain, plan.rotarySize());
            System.arraycopy(expanded, from + plain, values,
                token * attention.valueWidth() + head * plan.valueSize(), plan.valueSize());
        }
    }

    private void rotate(final float[] vector, final int at, final int position)
    {
        if (plan.interleaved())
        {
            rope.rotatePairs(vector, at, position, new float[plan.rotarySize()]);
        }
        else
        {
            rope.rotate(vector, at, position);
        }
    }
}
