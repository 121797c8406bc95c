// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.StepFault;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.serving.DraftSource;
import io.signalbox.serving.WeightSets.StepWeights;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A rank's copy of a plan, which is valid during its submission only. */
final class CpuStepPlan
{
    /**
     * One request's part of the step.
     *
     * @param start      position of the first token, if no step before decides it.
     * @param end        no position at or above it is computed.
     * @param back       steps to the one that sampled the first token; 0: the host knows all tokens.
     * @param hostTokens those that the host knows.
     * @param drafts     tokens at the end that are guesses.
     * @param guesses    for the positions behind {@code start} and below {@code end}, if there are drafts.
     * @param mayStopAt  from this position on, stop tokens may be sampled.
     * @param stopTokens empty if they may be sampled at every position of the entry.
     */
    record Entry(
        int start, int count, int end, int back, int backEntry, boolean samples, int[] hostTokens, int drafts,
        int[] guesses, int[] table, TokenSampler.SamplingChoice choice, boolean wantsLogprobs, int mayStopAt,
        int[] stopTokens)
    {
        /** Tokens that are computed if the entry starts there. */
        int computed(final int from)
        {
            return Math.max(0, Math.min(count, end - from));
        }

        /** Of these, the last ones: each is followed by a token that is sampled. */
        int sampled(final int from)
        {
            return samples ? Math.max(0, computed(from) - firstSampled()) : 0;
        }

        /** Index of the first token behind which one is sampled. */
        int firstSampled()
        {
            return count - drafts - 1;
        }

        /** The guess for a token of an entry that starts there. */
        int guess(final int from, final int token)
        {
            return guesses[from + token - start - 1];
        }
    }

    private final int epoch;
    private final int rank;
    private final long step;
    private final int tokens;
    private final List<Entry> entries = new ArrayList<>();
    private StepWeights<ForwardModel> weights;
    private final CpuStepResults outOfMemory =
        CpuStepResults.failed(this, StepFault.RANK_LOST, "the step could not be computed: the Java heap is exhausted");

    /**
     * @param source  of guesses; {@code null} without draft tokens.
     * @param weights the weights that the step computes with.
     */
    CpuStepPlan(final StepView plan, final DraftSource source, final StepWeights<ForwardModel> weights)
    {
        this.weights = weights;
        epoch = plan.epoch();
        rank = plan.rank();
        step = plan.step();
        tokens = plan.tokens();
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            entries.add(entry(plan, entry, source));
        }
    }

    private static Entry entry(final StepView plan, final int entry, final DraftSource source)
    {
        final RequestContent request = plan.request(entry);
        final int[] host = new int[plan.hostTokens(entry)];
        for (int i = 0; i < host.length; i++)
        {
            host[i] = request.token(plan.start(entry) + i);
        }
        final int[] guesses = new int[plan.drafts(entry) == 0 ? 0 : plan.end(entry) - plan.start(entry) - 1];
        if (guesses.length > 0)
        {
            source.guess(request, plan.start(entry) + 1, guesses, 0, guesses.length);
        }
        final int[] table = new int[request.blockCount()];
        for (int i = 0; i < table.length; i++)
        {
            table[i] = request.blockId(i);
        }
        final TokenSampler.SamplingChoice choice = new TokenSampler.SamplingChoice(
            request.isGreedy() ? 0.0f : request.temperature(), request.topK(), request.topP(), request.samplingSeed());
        final boolean isMasked = !request.mayStopAt(plan.start(entry) + 1);
        final int[] stopTokens = new int[isMasked ? request.stopTokenCount() : 0];
        Arrays.setAll(stopTokens, request::stopToken);
        return new Entry(plan.start(entry), plan.tokenCount(entry), plan.end(entry), plan.predecessorBack(entry),
            plan.predecessorEntry(entry), plan.samples(entry), host, plan.drafts(entry), guesses,
            table, choice, request.wantsLogprobs(), request.promptTokens() + request.minNewTokens(), stopTokens);
    }

    /** The result if not even a sentence finds memory. */
    CpuStepResults outOfMemory()
    {
        return outOfMemory;
    }

    /** Called once by the computing thread. The plan drops its reference, so that it does not retain old weights. */
    StepWeights<ForwardModel> takeWeights()
    {
        final StepWeights<ForwardModel> taken = weights;
        weights = null;
        return taken;
    }

    int epoch()
    {
        return epoch;
    }

    int rank()
    {
        return rank;
    }

    long step()
    {
        return step;
    }

    /** Tokens that the plan feeds; each has a row. */
    int tokens()
    {
        return tokens;
    }

    List<Entry> entries()
    {
        return entries;
    }
}
