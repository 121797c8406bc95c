// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelException;

/**
 * Computes one step after the other of one rank: token ids to routed experts, with their weights, and logits. The result
 * of a token depends on the tokens of its sequence up to it and on nothing else: not on the batch, on chunks, blocks,
 * threads or earlier steps. One thread at a time uses it.
 */
public final class ForwardPass
{
    /** Names the order of all operations; passes with the same name and precision compute the same bits. */
    public static final String ORDER_OF_SUMS = "sums in 32 lanes, order 1";

    /** {@code null} if each step names its model. */
    private final ForwardModel model;
    private final DecoderPlan plan;
    private final Precision precision;
    /** The rounding of a norm before its weight. */
    private final Precision innerNorm;
    private final LinearStages linear;
    private final AttentionPass attention;
    private final ExpertsPass experts;
    private final MlpPass mlp;
    private final ForwardObserver observer;
    private final float[] rootLanes = new float[LaneSum.LANES];
    private float[] states = new float[0];
    private float[] normed = new float[0];
    private float[] added = new float[0];
    private float[] logits = new float[0];
    private int[] expertIds = new int[0];
    private float[] expertWeights = new float[0];

    /**
     * @param precision that of the model, or any if the model is of float32.
     * @param kv        of the rank; it keeps the keys and values of former steps.
     * @param team      the threads that compute; not closed.
     * @throws ModelException if the model was copied for another precision.
     */
    public ForwardPass(final ForwardModel model, final Precision precision, final PagedKv kv, final WorkTeam team)
    {
        this(model, precision, kv, team, null);
    }

    /** A pass without weights; each step names its weights. */
    public ForwardPass(final DecoderPlan plan, final Precision precision, final PagedKv kv, final WorkTeam team)
    {
        this(null, plan, precision, kv, team, null);
    }

    /** @param observer {@code null}: nobody looks. */
    ForwardPass(
        final ForwardModel model, final Precision precision, final PagedKv kv, final WorkTeam team,
        final ForwardObserver observer)
    {
        this(model, model.plan(), precision, kv, team, observer);
        model.requireCopiedFor(precision);
    }

    private ForwardPass(
        final ForwardModel model, final DecoderPlan plan, final Precision precision, final PagedKv kv, final WorkTeam team,
        final ForwardObserver observer)
    {
        this.model = model;
        this.plan = plan;
        this.precision = precision;
        this.observer = observer;
        innerNorm = plan.roundsNormsOnce() ? Precision.F32 : precision;
        linear = new LinearStages(team, precision);
        attention = new AttentionPass(plan, linear, kv);
        experts = new ExpertsPass(plan, linear);
        mlp = new MlpPass(linear);
    }

    /** How this JVM multiplies, for reports. */
    public static String arithmetic()
    {
        return RowProducts.CHOICE.description();
    }

    /** Computes a step. The results are valid until the next one. */
    public void run(final TokenBatch batch)
    {
        run(model, batch);
    }

    /**
     * Computes a step. The results are valid until the next one; the pass does not keep the weights.
     *
     * @param computed a model with the plan and the precision of this pass.
     */
    public void run(final ForwardModel computed, final TokenBatch batch)
    {
        final int count = batch.count();
        reserve(batch);
        embed(computed, batch);
        attention.begin(batch);
        for (int layer = 0; layer < plan.layers(); layer++)
        {
            final ForwardModel.Layer weights = computed.layer(layer);
            norm(count, layer > 0, weights.inputNorm());
            see(ForwardObserver.Point.STATE, layer - 1, states, count, plan.hidden());
            attention.run(batch, layer, weights.attention(), normed, added);
            see(ForwardObserver.Point.ATTENTION_OUT, layer, added, count, plan.hidden());
            norm(count, true, weights.postAttentionNorm());
            see(ForwardObserver.Point.MLP_IN, layer, normed, count, plan.hidden());
            if (weights.experts() == null)
            {
                mlp.run(weights.dense(), normed, count, added);
            }
            else
            {
                experts.run(weights.experts(), normed, count, added);
                see(ForwardObserver.Point.ROUTER_LOGITS, layer, experts.logits(), count, plan.experts().experts());
                keepExperts(plan.moeIndex(layer), count);
            }
            see(ForwardObserver.Point.MLP_OUT, layer, added, count, plan.hidden());
        }
        finish(computed, batch);
    }

    private void see(
        final ForwardObserver.Point point, final int layer, final float[] values, final int tokens, final int width)
    {
        if (observer != null)
        {
            observer.seen(point, layer, values, tokens, width);
        }
    }

    private void reserve(final TokenBatch batch)
    {
        states = Buffers.atLeast(states, batch.count(), plan.hidden());
        normed = Buffers.atLeast(normed, batch.count(), plan.hidden());
        added = Buffers.atLeast(added, batch.count(), plan.hidden());
        logits = Buffers.atLeast(logits, batch.sampledCount(), plan.vocabulary());
        final int ids = Math.multiplyExact(batch.count(), plan.moeLayers().size() * plan.experts().topK());
        if (expertIds.length < ids)
        {
            // The array that is asked for its length comes last, so that one that found no memory is made again.
            expertWeights = new float[ids];
            expertIds = new int[ids];
        }
    }

    private void embed(final ForwardModel computed, final TokenBatch batch)
    {
        for (int token = 0; token < batch.count(); token++)
        {
            computed.embedding().copyRow(batch.id(token), states, token * plan.hidden());
        }
        precision.round(states, 0, batch.count() * plan.hidden());
    }

    /** Adds what was computed last to the states, if anything was, and normalises them. */
    private void norm(final int count, final boolean add, final float[] weights)
    {
        linear.team().run(count, (token, worker) ->
        {
            final int at = token * plan.hidden();
            if (add)
            {
                residual(at);
            }
            RmsNorm.apply(states, at, plan.hidden(), weights, (float)plan.normEpsilon(), innerNorm, precision, normed, at,
                linear.products(worker).lanes);
        });
    }

    private void residual(final int at)
    {
        for (int i = at; i < at + plan.hidden(); i++)
        {
            states[i] = precision.round(states[i] + added[i]);
        }
    }

    private void keepExperts(final int moeLayer, final int count)
    {
        final int k = plan.experts().topK();
        final int row = plan.moeLayers().size() * k;
        for (int token = 0; token < count; token++)
        {
            System.arraycopy(experts.ids(), token * k, expertIds, token * row + moeLayer * k, k);
            System.arraycopy(experts.weights(), token * k, expertWeights, token * row + moeLayer * k, k);
        }
    }

    private void finish(final ForwardModel computed, final TokenBatch batch)
    {
        for (int token = 0; token < batch.count(); token++)
        {
            residual(token * plan.hidden());
        }
        see(ForwardObserver.Point.STATE, plan.layers() - 1, states, batch.count(), plan.hidden());
        for (int i = 0; i < batch.sampledCount(); i++)
        {
            RmsNorm.apply(states, batch.sampled(i) * plan.hidden(), plan.hidden(), computed.finalNorm(),
                (float)plan.normEpsilon(), innerNorm, precision, normed, i * plan.hidden(), rootLanes);
        }
        see(ForwardObserver.Point.FINAL_NORM, plan.layers(), normed, batch.sampledCount(), plan.hidden());
        if (batch.sampledCount() > 0)
        {
            linear.run(computed.head(), normed, batch.sampledCount(), logits);
        }
    }

    /** Logits behind the tokens for which they were wanted, {@code [index][token id]}; further elements mean nothing. */
    public float[] logits()
    {
        return logits;
    }

    /** Routed experts, {@code [token][MoE layer][k]}, best first. */
    public int[] expertIds()
    {
        return expertIds;
    }

    /** The weights with which the outputs of these experts were added. */
    public float[] expertWeights()
    {
        return expertWeights;
    }
}
