// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.model.DecoderPlan;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.model.forward.PagedKv;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.TokenBatch;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.model.forward.WorkTeam;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * One request computed alone: token by token, on one thread, in one block, without scheduler and engine.
 *
 * @param tokens    that were generated.
 * @param logprobs  of these.
 * @param experts   per fed token its row, {@code [MoE layer][k]}.
 * @param weights   of these.
 */
record LoneSequence(int[] tokens, float[] logprobs, int[][] experts, float[][] weights)
{
    static LoneSequence of(
        final ForwardModel model, final Precision precision, final int[] prompt, final int newTokens,
        final TokenSampler.SamplingChoice choice)
    {
        return of(position -> model, precision, prompt, new int[0], newTokens, choice);
    }

    /**
     * @param models with which each position is computed, on the keys and values of the earlier ones.
     * @param known  the first of the generated tokens.
     */
    static LoneSequence of(
        final IntFunction<ForwardModel> models, final Precision precision, final int[] prompt, final int[] known,
        final int newTokens, final TokenSampler.SamplingChoice choice)
    {
        final DecoderPlan plan = models.apply(0).plan();
        final int fed = prompt.length + newTokens - 1;
        final int row = plan.moeLayers().size() * plan.experts().topK();
        final int[] tokens = new int[newTokens];
        final float[] logprobs = new float[newTokens];
        final int[][] experts = new int[fed][];
        final float[][] weights = new float[fed][];
        final TokenSampler sampler = new TokenSampler();
        final TokenBatch batch = new TokenBatch();
        try (WorkTeam team = new WorkTeam(1, "alone"))
        {
            final ForwardPass pass = new ForwardPass(plan, precision, new PagedKv(plan, 1, fed), team);
            for (int position = 0; position < fed; position++)
            {
                batch.clear();
                batch.add(position < prompt.length ? prompt[position] : tokens[position - prompt.length], position,
                    new int[1]);
                batch.sampleLast();
                pass.run(models.apply(position), batch);
                experts[position] = Arrays.copyOf(pass.expertIds(), row);
                weights[position] = Arrays.copyOf(pass.expertWeights(), row);
                final int next = position + 1 - prompt.length;
                if (next >= 0)
                {
                    tokens[next] = next < known.length ? known[next] :
                        sampler.next(pass.logits(), 0, plan.vocabulary(), choice, position + 1);
                    logprobs[next] = sampler.logprob(pass.logits(), 0, plan.vocabulary(), tokens[next]);
                }
            }
        }
        return new LoneSequence(tokens, logprobs, experts, weights);
    }
}
