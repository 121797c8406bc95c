// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.DecoderPlan;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** A sequence that a pass computes, chunk by chunk, and everything that it computed on the way, by position. */
final class RecordedPass
{
    private static final int BLOCK_SIZE = 8;

    private final DecoderPlan plan;
    private final ForwardPass pass;
    private final int[] table;
    private final TokenBatch batch = new TokenBatch();
    private final Map<ForwardObserver.Point, float[]> seen = new EnumMap<>(ForwardObserver.Point.class);
    private final int most;
    private int first;
    private int position;
    final float[] logits;
    final int[] experts;
    final float[] weights;

    /** @param most positions; blocks are in another order than they are used. */
    RecordedPass(final ForwardModel model, final Precision precision, final WorkTeam team, final int most, final int stride)
    {
        plan = model.plan();
        this.most = most;
        int blocks = most / BLOCK_SIZE + 2;
        while (greatestDivisor(blocks, stride) != 1)
        {
            blocks++;
        }
        table = new int[most / BLOCK_SIZE + 1];
        final int count = blocks;
        Arrays.setAll(table, index -> (index * stride + 1) % count);
        pass = new ForwardPass(model, precision, new PagedKv(plan, blocks, BLOCK_SIZE), team, this::see);
        final int row = plan.moeLayers().size() * plan.experts().topK();
        logits = new float[most * plan.vocabulary()];
        experts = new int[most * row];
        weights = new float[most * row];
    }

    private static int greatestDivisor(final int a, final int b)
    {
        return b == 0 ? a : greatestDivisor(b, a % b);
    }

    private void see(
        final ForwardObserver.Point point, final int layer, final float[] values, final int tokens, final int width)
    {
        final int layers = plan.layers() + 2;
        final float[] all = seen.computeIfAbsent(point, absent -> new float[layers * most * width]);
        System.arraycopy(values, 0, all, ((layer + 1) * most + first) * width, tokens * width);
    }

    /** The next tokens of the sequence. */
    void feed(final int[] tokens, final int from, final int to)
    {
        batch.clear();
        first = position;
        for (int i = from; i < to; i++)
        {
            batch.add(tokens[i], position++, table);
            batch.sampleLast();
        }
        pass.run(batch);
        final int vocabulary = plan.vocabulary();
        System.arraycopy(pass.logits(), 0, logits, first * vocabulary, batch.count() * vocabulary);
        final int row = plan.moeLayers().size() * plan.experts().topK();
        System.arraycopy(pass.expertIds(), 0, experts, first * row, batch.count() * row);
        System.arraycopy(pass.expertWeights(), 0, weights, first * row, batch.count() * row);
    }

    /** All tokens, {@code chunk} at a time. */
    RecordedPass feedAll(final int[] tokens, final int chunk)
    {
        for (int from = 0; from < tokens.length; from += chunk)
        {
            feed(tokens, from, Math.min(tokens.length, from + chunk));
        }
        return this;
    }

    /** The values that were seen in a layer of the model, {@code [position][element]}; layer -1 is the embedding. */
    float[] seen(final ForwardObserver.Point point, final int layer, final int width)
    {
        final int from = (layer + 1) * most * width;
        return Arrays.copyOfRange(seen.get(point), from, from + most * width);
    }

    /** The first most probable token behind a position. */
    int greedy(final int at)
    {
        return new TokenSampler().next(
            logits, at * plan.vocabulary(), plan.vocabulary(), new TokenSampler.SamplingChoice(0, 0, 1, 0), at + 1);
    }
}
