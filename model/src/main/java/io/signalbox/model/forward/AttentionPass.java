// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.QkNorm;

import java.util.Arrays;

/**
 * Attention of one layer over paged keys and values. All tokens of a step write theirs before any reads. A score is the
 * product of query and key in the order of {@link LaneSum}, and so is the sum of the softmax over positions. Values are
 * added position by position within each segment of {@value #SEGMENT} positions, and the sums of segments in their order:
 * all of it counts positions of the sequence, so chunks, blocks and batch leave no trace. A window has the bits of weights
 * of 0 outside it; keys and values outside it are not read.
 */
final class AttentionPass
{
    /** Positions whose values are added one after the other. */
    static final int SEGMENT = 256;

    private final AttentionPlan plan;
    private final float epsilon;
    private final Precision precision;
    private final LinearStages linear;
    private final PagedKv kv;
    private final RopeTable rope;
    private final float scale;
    private final LatentProjection latent;
    private final float[][] scores;
    private final AttentionSoftmax[] softmax;
    private final float[][] parts;
    private float[] queries = new float[0];
    private float[] keys = new float[0];
    private float[] values = new float[0];
    private float[] mixed = new float[0];

    AttentionPass(final DecoderPlan decoder, final LinearStages linear, final PagedKv kv)
    {
        plan = decoder.attention();
        epsilon = (float)decoder.normEpsilon();
        precision = linear.precision();
        this.linear = linear;
        this.kv = kv;
        rope = new RopeTable(plan, decoder.maxPositions(), precision);
        latent = plan.latent() == null ? null : new LatentProjection(plan, linear, rope);
        scale = plan.scoreScale();
        scores = new float[linear.team().size()][0];
        parts = new float[linear.team().size()][plan.valueSize()];
        softmax = new AttentionSoftmax[linear.team().size()];
        Arrays.setAll(softmax, worker -> new AttentionSoftmax(precision, linear.products(worker).lanes));
    }

    /** Before the layers of a step. */
    void begin(final TokenBatch batch)
    {
        int limit = 0;
        for (int token = 0; token < batch.count(); token++)
        {
            limit = Math.max(limit, batch.position(token) + 1);
            kv.touch(batch.table(token)[batch.position(token) / kv.blockSize()]);
        }
        rope.reach(limit);
        queries = Buffers.atLeast(queries, batch.count(), plan.queryWidth());
        keys = Buffers.atLeast(keys, batch.count(), plan.keyWidth());
        values = Buffers.atLeast(values, batch.count(), plan.valueWidth());
        mixed = Buffers.atLeast(mixed, batch.count(), plan.outputWidth());
        for (int worker = 0; worker < scores.length; worker++)
        {
            scores[worker] = Buffers.atLeast(scores[worker], limit, 1);
        }
    }

    /** @param out what attention adds to the state of each token. */
    void run(
        final TokenBatch batch, final int layer, final ForwardModel.Attention weights, final float[] in, final float[] out)
    {
        if (latent == null)
        {
            linear.runAll(in, batch.count(), new Matrix[] {weights.query(), weights.key(), weights.value()},
                new float[][] {queries, keys, values});
        }
        else
        {
            latent.project(batch, weights, in, queries, keys, values);
        }
        linear.team().run(batch.count(), (token, worker) -> place(batch, layer, weights, token, worker));
        linear.team().run(batch.count() * plan.heads(), (task, worker) ->
            attend(batch, layer, weights.sinks(), task / plan.heads(), task % plan.heads(), worker));
        linear.run(weights.output(), mixed, batch.count(), out);
    }

    private void place(
        final TokenBatch batch, final int layer, final ForwardModel.Attention weights, final int token, final int worker)
    {
        final int position = batch.position(token);
        final int q = token * plan.queryWidth();
        final int k = token * plan.keyWidth();
        final int v = token * plan.valueWidth();
        if (latent == null)
        {
            final float[] lanes = linear.products(worker).lanes;
            norm(queries, q, plan.heads(), weights.queryNorm(), lanes);
            norm(keys, k, plan.kvHeads(), weights.keyNorm(), lanes);
            clip(queries, q, plan.queryWidth());
            clip(keys, k, plan.keyWidth());
            clip(values, v, plan.valueWidth());
            for (int head = 0; head < plan.heads(); head++)
            {
                rope.rotate(queries, q + head * plan.headSize(), position);
            }
            for (int head = 0; head < plan.kvHeads(); head++)
            {
                rope.rotate(keys, k + head * plan.headSize(), position);
            }
        }
        kv.write(layer, batch.table(token)[position / kv.blockSize()], position, keys, k, values, v);
    }

    private void norm(final float[] heads, final int at, final int count, final float[] weights, final float[] lanes)
    {
        if (plan.qkNorm() == QkNorm.NONE)
        {
            return;
        }
        final int size = plan.qkNorm() == QkNorm.FULL_WIDTH ? count * plan.headSize() : plan.headSize();
        for (int from = at; from < at + count * plan.headSize(); from += size)
        {
            RmsNorm.apply(heads, from, size, weights, epsilon, precision, heads, from, lanes);
        }
    }

    private void clip(final float[] vector, final int at, final int count)
    {
        final float most = (float)plan.clip();
        for (int i = at; most > 0.0f && i < at + count; i++)
        {
            vector[i] = precision.round(Math.max(-most, Math.min(most, vector[i])));
        }
    }

    private void attend(
        final TokenBatch batch, final int layer, final float[] sinks, final int token, final int head, final int worker)
    {
        final int positions = batch.position(token) + 1;
        final int first = plan.window() == null ? 0 : plan.window().first(layer, positions - 1);
        final int[] table = batch.table(token);
        final int kvHead = head / (plan.heads() / plan.kvHeads());
        final float[] score = scores[worker];
        final RowProducts products = linear.products(worker);
        int slot = first % kv.blockSize();
        for (int from = first; from < positions; from += kv.blockSize() - slot, slot = 0)
        {
            products.one(kv.keys(layer, table[from / kv.blockSize()]), slot * plan.keyWidth() + kvHead * plan.headSize(),
                plan.keyWidth(), plan.headSize(), Math.min(kv.blockSize() - slot, positions - from), queries,
                token * plan.queryWidth() + head * plan.headSize(), score, from);
        }
        for (int position = first; position < positions; position++)
        {
            score[position] = precision.round(precision.round(score[position]) * scale);
        }
        if (sinks == null)
        {
            softmax[worker].apply(score, first, positions);
        }
        else
        {
            softmax[worker].apply(score, first, positions, sinks[head]);
        }
        mix(layer, table, kvHead, score, first, positions, parts[worker],
            token * plan.outputWidth() + head * plan.valueSize());
    }

    private void mix(final int layer, final int[] table, final int kvHead, final float[] score, final int first,
        final int positions, final float[] part, final int to)
    {
        final int size = plan.valueSize();
        Arrays.fill(mixed, to, to + size, 0.0f);
        for (int segment = first / SEGMENT * SEGMENT; segment < positions; segment += SEGMENT)
        {
            Arrays.fill(part, 0.0f);
            final int end = Math.min(positions, segment + SEGMENT);
            for (int position = Math.max(first, segment); position < end; position++)
            {
                final float[] block = kv.values(layer, table[position / kv.blockSize()]);
                final int at = position % kv.blockSize() * plan.valueWidth() + kvHead * size;
                addScaled(part, score[position], block, at);
            }
            for (int i = 0; i < size; i++)
            {
                mixed[to + i] += part[i];
            }
        }
        precision.round(mixed, to, size);
    }

    private static void addScaled(final float[] sums, final float factor, final float[] values, final int at)
    {
        for (int i = 0; i < sums.length; i++)
        {
            sums[i] += factor * values[at + i];
        }
    }
}
