// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;

import java.util.Arrays;

/**
 * Router and experts of one MoE layer. Tokens are grouped by expert, so that its weights are read once for all of them; what
 * an expert computes for a token depends on nothing else. Biases of experts are added to rounded products. The outputs of a
 * token's experts, times their weights, are added in the order of the choice, in float32, and rounded once.
 */
final class ExpertsPass
{
    private final ExpertsPlan plan;
    private final int hidden;
    private final LinearStages linear;
    private final Precision precision;
    private final MlpPass shared;
    private final float limit;
    private float[] logits = new float[0];
    private float[] inner = new float[0];
    private float[] upper = new float[0];
    private float[] outer = new float[0];
    private float[] common = new float[0];
    /** Chosen experts and weights of the layer, {@code [token][k]}, and the place of each among the pairs by expert. */
    private int[] ids = new int[0];
    private float[] weights = new float[0];
    private int[] pairs = new int[0];
    /** Tokens by expert, and where each expert's begin. */
    private int[] tokens = new int[0];
    private final int[] starts;
    private final int[] active;

    ExpertsPass(final DecoderPlan decoder, final LinearStages linear)
    {
        plan = decoder.experts();
        hidden = decoder.hidden();
        this.linear = linear;
        precision = linear.precision();
        shared = new MlpPass(linear);
        limit = precision.round((float)plan.limit());
        starts = new int[plan.experts() + 1];
        active = new int[plan.experts()];
    }

    /** Router logits of the last layer, {@code [token][expert]}. */
    float[] logits()
    {
        return logits;
    }

    int[] ids()
    {
        return ids;
    }

    float[] weights()
    {
        return weights;
    }

    /** @param out what the layer adds to the state of each token. */
    void run(final ForwardModel.Experts layer, final float[] in, final int count, final float[] out)
    {
        choose(layer, in, count);
        if (layer.shared() != null)
        {
            common = Buffers.atLeast(common, count, hidden);
            shared.run(layer.shared(), in, count, common);
        }
        final int experts = group(count);
        inner = Buffers.atLeast(inner, count * plan.topK(), plan.width());
        upper = Buffers.atLeast(upper, count * plan.topK(), plan.width());
        outer = Buffers.atLeast(outer, count * plan.topK(), hidden);
        final int gateTasks = layer.experts().get(0).gate().tasks();
        linear.team().run(experts * gateTasks, (task, worker) ->
        {
            final int expert = active[task / gateTasks];
            final ForwardModel.Mlp mlp = layer.experts().get(expert);
            rows(mlp.gate(), task % gateTasks, expert, worker, in, true, inner);
            rows(mlp.up(), task % gateTasks, expert, worker, in, true, upper);
            activate(mlp.gate(), task % gateTasks, expert);
        });
        final int downTasks = layer.experts().get(0).down().tasks();
        linear.team().run(experts * downTasks, (task, worker) ->
        {
            final int expert = active[task / downTasks];
            rows(layer.experts().get(expert).down(), task % downTasks, expert, worker, inner, false, outer);
        });
        linear.team().run(count, (token, worker) -> combine(token, layer.shared() != null, out));
    }

    private void choose(final ForwardModel.Experts layer, final float[] in, final int count)
    {
        logits = Buffers.atLeast(logits, count, plan.experts());
        final int chosen = count * plan.topK();
        if (ids.length < chosen)
        {
            // The array that is asked for its length comes last, so that one that found no memory is made again.
            weights = new float[chosen];
            pairs = new int[chosen];
            tokens = new int[chosen];
            ids = new int[chosen];
        }
        // A router with sigmoid computes in float32 whatever the rest does.
        linear.run(layer.router(), in, count, logits,
            plan.scoring() == ExpertScoring.SIGMOID_GROUPS ? Precision.F32 : precision);
        final ExpertChoice choice = new ExpertChoice(plan, layer.bias(), precision);
        for (int token = 0; token < count; token++)
        {
            choice.choose(logits, token * plan.experts(), ids, weights, token * plan.topK());
        }
    }

    /** Groups the tokens by expert, ascending; returns how many experts have any. */
    private int group(final int count)
    {
        final int chosen = count * plan.topK();
        Arrays.fill(starts, 0);
        for (int i = 0; i < chosen; i++)
        {
            starts[ids[i] + 1]++;
        }
        int experts = 0;
        for (int expert = 0; expert < plan.experts(); expert++)
        {
            if (starts[expert + 1] > 0)
            {
                active[experts++] = expert;
            }
            starts[expert + 1] += starts[expert];
        }
        for (int i = chosen - 1; i >= 0; i--)
        {
            // Backwards from the end of each expert: afterwards starts[e + 1] is where e begins.
            pairs[i] = --starts[ids[i] + 1];
            tokens[pairs[i]] = i / plan.topK();
        }
        System.arraycopy(starts, 1, starts, 0, plan.experts());
        starts[plan.experts()] = chosen;
        return experts;
    }

    /** Multiplies some rows with every token of an expert; {@code byToken}: the inputs are the tokens', not the pairs'. */
    private void rows(
        final Matrix matrix, final int task, final int expert, final int worker, final float[] in, final boolean byToken,
        final float[] out)
    {
        final int from = task * matrix.taskRows();
        final int rows = Math.min(matrix.taskRows(), matrix.rows() - from);
        matrix.multiply(linear.products(worker), from, rows, in, byToken ? tokens : null, starts[expert], starts[expert + 1],
            out);
        for (int i = starts[expert]; i < starts[expert + 1]; i++)
        {
            final int at = i * matrix.rows() + from;
            precision.round(out, at, rows);
            if (matrix.hasBias())
            {
                matrix.addBias(from, rows, out, at);
                precision.round(out, at, rows);
            }
        }
    }

    private void activate(final Matrix gate, final int task, final int expert)
    {
        final int from = task * gate.taskRows();
        final int rows = Math.min(gate.taskRows(), gate.rows() - from);
        for (int pair = starts[expert]; pair < starts[expert + 1]; pair++)
        {
            if (plan.isClamped())
            {
                MlpPass.activateClamped(inner, upper, pair * gate.rows() + from, rows, limit, precision);
            }
            else
            {
                MlpPass.activate(inner, upper, pair * gate.rows() + from, rows, precision);
            }
        }
    }

    private void combine(final int token, final boolean addShared, final float[] out)
    {
        final Precision product = plan.roundsWeights() ? precision : Precision.F32;
        final int to = token * hidden;
        for (int k = 0; k < plan.topK(); k++)
        {
            final int from = pairs[token * plan.topK() + k] * hidden;
            final float weight = weights[token * plan.topK() + k];
            for (int i = 0; i < hidden; i++)
            {
                final float weighted = product.round(outer[from + i] * weight);
                out[to + i] = k == 0 ? weighted : out[to + i] + weighted;
            }
        }
        precision.round(out, to, hidden);
        for (int i = 0; addShared && i < hidden; i++)
        {
            out[to + i] = precision.round(out[to + i] + common[to + i]);
        }
    }
}
