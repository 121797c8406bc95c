// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.RankSizes;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.model.forward.NoNumberException;
import io.signalbox.model.forward.PagedKv;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.TokenBatch;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.model.forward.WorkTeam;

import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Computes the steps of one rank, in their order, on one thread and its team: keys and values, and what the last steps
 * sampled, from which later plans continue.
 */
final class CpuSteps
{
    /** Per entry of a step, the start and the first token of an entry that continues it. */
    private record Sampled(int[] nextStarts, int[] tokens)
    {
    }

    private final int vocabulary;
    private final int topK;
    private final int depth;
    private final ModelShape shape;
    private final PagedKv kv;
    private final ForwardPass pass;
    private final TokenBatch batch = new TokenBatch();
    private final TokenSampler sampler = new TokenSampler();
    private final Queue<CpuRows> pool = new ConcurrentLinkedQueue<>();
    private final Map<Long, Sampled> former = new HashMap<>();

    /** @param shape of captured rows; {@code null}: none. */
    CpuSteps(
        final DecoderPlan plan, final Precision precision, final RankSizes sizes, final ModelShape shape,
        final WorkTeam team)
    {
        vocabulary = plan.vocabulary();
        topK = plan.moeLayers().size() * plan.experts().topK();
        depth = sizes.depth();
        this.shape = shape;
        kv = new PagedKv(plan, sizes.kvBlocks(), sizes.blockSizeTokens());
        pass = new ForwardPass(plan, precision, kv, team);
    }

    /** Computes a step; a step that cannot be computed has a fault. */
    CpuStepResults compute(final CpuStepPlan plan, final ForwardModel weights)
    {
        final long begin = System.nanoTime();
        final int[] starts = new int[plan.entries().size()];
        final String fault = gather(plan, starts);
        if (fault != null)
        {
            return CpuStepResults.failed(plan, StepFault.STEP_FAILED, fault);
        }
        try
        {
            pass.run(weights, batch);
            final StepTokens tokens = sample(plan, starts);
            return new CpuStepResults(plan, tokens.computed(System.nanoTime() - begin), rows(plan, starts), null, null);
        }
        catch (final NoNumberException e)
        {
            return CpuStepResults.failed(plan, StepFault.STEP_FAILED, "the model computed what is no number: " +
                e.getMessage());
        }
    }

    /** Fills the batch; returns why the step cannot be computed, or {@code null}. */
    private String gather(final CpuStepPlan plan, final int[] starts)
    {
        batch.clear();
        for (int i = 0; i < starts.length; i++)
        {
            final CpuStepPlan.Entry entry = plan.entries().get(i);
            final Sampled before = entry.back() == 0 ? null : former.get(plan.step() - entry.back());
            if (entry.back() > 0 && before == null)
            {
                return "the step " + (plan.step() - entry.back()) + " that it continues was not computed";
            }
            starts[i] = before == null ? entry.start() : before.nextStarts[entry.backEntry()];
            for (int token = 0; token < entry.computed(starts[i]); token++)
            {
                final int id = before == null ? entry.hostTokens()[token] :
                    token == 0 ? before.tokens[entry.backEntry()] : guess(entry, starts[i], token);
                if (id < 0 || id >= vocabulary)
                {
                    return "token " + id + " at position " + (starts[i] + token) + " is not in the vocabulary of " +
                        vocabulary + "; submit token ids from 0 to " + (vocabulary - 1);
                }
                batch.add(id, starts[i] + token, entry.table());
                if (entry.samples() && token >= entry.firstSampled())
                {
                    batch.sampleLast();
                }
            }
        }
        return null;
    }

    /** If there is no guess, token 0 is one like any other. */
    private int guess(final CpuStepPlan.Entry entry, final int start, final int token)
    {
        final int id = entry.guess(start, token);
        return id < 0 || id >= vocabulary ? 0 : id;
    }

    private StepTokens sample(final CpuStepPlan plan, final int[] starts)
    {
        final StepTokens results = new StepTokens().begin(plan.epoch(), plan.rank(), plan.step());
        final Sampled sampled = new Sampled(starts.clone(), new int[starts.length]);
        int at = 0;
        for (int i = 0; i < starts.length; i++)
        {
            final CpuStepPlan.Entry entry = plan.entries().get(i);
            results.entry(starts[i]);
            final int most = entry.sampled(starts[i]);
            final int accepted = accept(entry, starts[i], at, results);
            sampled.nextStarts[i] += entry.computed(starts[i]) - most + accepted;
            // An entry that computes nothing hands on the token that it was to feed.
            sampled.tokens[i] = accepted > 0 ? results.token(results.tokenCount() - 1) :
                entry.back() > 0 ? former.get(plan.step() - entry.back()).tokens[entry.backEntry()] : 0;
            at += most;
        }
        former.put(plan.step(), sampled);
        former.keySet().removeIf(step -> step <= plan.step() - depth);
        return results;
    }

    /** Samples behind one token after the other, as long as the next one is that which was sampled; returns how many. */
    private int accept(final CpuStepPlan.Entry entry, final int start, final int first, final StepTokens results)
    {
        int accepted = 0;
        int token = -1;
        while (accepted < entry.sampled(start) &&
            (accepted == 0 || guess(entry, start, entry.firstSampled() + accepted) == token))
        {
            final int logits = (first + accepted) * vocabulary;
            final int position = start + entry.firstSampled() + ++accepted;
            if (position < entry.mayStopAt())
            {
                TokenSampler.leaveOut(entry.stopTokens(), pass.logits(), logits, vocabulary);
            }
            token = sampler.next(pass.logits(), logits, vocabulary, entry.choice(), position);
            results.accept(token, entry.wantsLogprobs() ?
                sampler.logprob(pass.logits(), logits, vocabulary, token) : StepTokens.NO_LOGPROB);
        }
        return accepted;
    }

    private CpuRows rows(final CpuStepPlan plan, final int[] starts)
    {
        if (shape == null)
        {
            return null;
        }
        final CpuRows free = pool.poll();
        final CpuRows rows = (free == null ? new CpuRows(shape, pool) : free).begin(plan.tokens());
        int fed = 0;
        int computed = 0;
        for (int i = 0; i < starts.length; i++)
        {
            final CpuStepPlan.Entry entry = plan.entries().get(i);
            for (int token = 0; token < entry.computed(starts[i]); token++)
            {
                rows.set(fed + token, pass.expertIds(), pass.expertWeights(), computed++ * topK);
            }
            fed += entry.count();
        }
        return rows;
    }

    /** Steps before a reset continue nothing behind it. */
    void forget()
    {
        former.clear();
    }
}
