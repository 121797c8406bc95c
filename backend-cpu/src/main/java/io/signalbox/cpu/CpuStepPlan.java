// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.model.forward.TokenSampler;

import java.util.ArrayList;
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
     */
    record Entry(
        int start, int count, int end, int back, int backEntry, boolean samples, int[] hostTokens, int[] table,
        TokenSampler.SamplingChoice choice, boolean wantsLogprobs)
    {
    }

    /** The first tokens of a block that another one receives. */
    record Copy(int from, int to, int tokens)
    {
    }

    private final int epoch;
    private final int rank;
    private final long step;
    private final int tokens;
    private final List<Entry> entries = new ArrayList<>();
    private final List<Copy> copies = new ArrayList<>();
    private final CpuStepResults outOfMemory =
        CpuStepResults.failed(this, FaultClass.RANK_LOST, "the step could not be computed: the Java heap is exhausted");

    CpuStepPlan(final StepView plan)
    {
        epoch = plan.epoch();
        rank = plan.rank();
        step = plan.step();
        tokens = plan.tokens();
        for (int copy = 0; copy < plan.copyCount(); copy++)
        {
            copies.add(new Copy(plan.copyFromBlock(copy), plan.copyToBlock(copy), plan.copyTokens(copy)));
        }
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            entries.add(entry(plan, entry));
        }
    }

    private static Entry entry(final StepView plan, final int entry)
    {
        final RequestContent request = plan.request(entry);
        final int[] host = new int[plan.hostTokens(entry)];
        for (int i = 0; i < host.length; i++)
        {
            host[i] = request.token(plan.start(entry) + i);
        }
        final int[] table = new int[request.blockCount()];
        for (int i = 0; i < table.length; i++)
        {
            table[i] = request.blockId(i);
        }
        final TokenSampler.SamplingChoice choice = new TokenSampler.SamplingChoice(
            request.isGreedy() ? 0.0f : request.temperature(), request.topK(), request.topP(), request.samplingSeed());
        return new Entry(plan.start(entry), plan.tokenCount(entry), plan.end(entry), plan.predecessorBack(entry),
            plan.predecessorEntry(entry), plan.samples(entry), host, table, choice, request.wantsLogprobs());
    }

    /** The result if not even a sentence finds memory. */
    CpuStepResults outOfMemory()
    {
        return outOfMemory;
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

    List<Copy> copies()
    {
        return copies;
    }
}
