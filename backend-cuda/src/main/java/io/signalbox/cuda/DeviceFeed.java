// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.capture.StepBlock;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;

import java.util.Arrays;

/** The needs of a decoder in a step plan: tokens or the steps that sampled them, block tables, sampling. */
final class DeviceFeed
{
    private final int[] ids;
    /** By token, where the block table of its sequence begins in {@link #blocks}. */
    private final int[] tables;
    /** By entry: how many steps before the first token was sampled, 0 if the host knows it, and by which entry. */
    private final int[] backs;
    private final int[] backEntries;
    private final int[] firstTokens;
    private final float[] temperatures;
    private final float[] topPs;
    private final int[] topKs;
    private final long[] seeds;
    private final boolean[] wantLogprobs;
    private final DeviceStopTokens stopTokens;
    /** By entry, its first token among those that former steps sampled; -1: the host knows it. */
    private final int[] formers;
    /** Null if steps have no draft tokens. */
    private final DeviceDrafts drafts;
    private int[] blocks = new int[0];
    private final DecoderLimits limits;
    private int tokenCount;
    private int blockCount;
    private int sampled;
    private String refusal;

    DeviceFeed(final int maxTokens, final DecoderLimits limits)
    {
        this.limits = limits;
        ids = new int[maxTokens];
        tables = new int[maxTokens];
        backs = new int[maxTokens];
        backEntries = new int[maxTokens];
        firstTokens = new int[maxTokens];
        temperatures = new float[maxTokens];
        topPs = new float[maxTokens];
        topKs = new int[maxTokens];
        seeds = new long[maxTokens];
        wantLogprobs = new boolean[maxTokens];
        stopTokens = new DeviceStopTokens(maxTokens, limits.vocabulary());
        formers = new int[maxTokens];
        drafts = limits.drafts() == null ? null : new DeviceDrafts(maxTokens, limits.drafts());
    }

    void read(final StepView plan)
    {
        tokenCount = 0;
        blockCount = 0;
        sampled = 0;
        refusal = null;
        stopTokens.begin();
        if (drafts != null)
        {
            drafts.begin();
        }
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            readEntry(plan, entry);
        }
        if (refusal == null && plan.entryCount() > limits.maxEntries())
        {
            refusal = "the step has " + plan.entryCount() + " entries, above the " + limits.maxEntries() +
                " that the backend has memory for";
        }
        final long bytes = StepBlock.feedBytes(tokenCount, sampled, blockCount) + stopTokens.bytes(sampled) +
            (drafts == null ? 0 : drafts.bytes());
        if (refusal == null && bytes > limits.feedBytes())
        {
            refusal = "the step needs " + bytes + " bytes for block tables, above the " + limits.feedBytes() +
                " that the backend has memory for; submit shorter requests, or lower maxRunning";
        }
    }

    private void readEntry(final StepView plan, final int entry)
    {
        final RequestContent request = plan.request(entry);
        final int count = plan.tokenCount(entry);
        if (drafts != null)
        {
            drafts.read(plan, entry, limits.vocabulary());
        }
        else if (plan.slack(entry) > 0 || plan.drafts(entry) > 0)
        {
            throw new InvariantViolation("entry " + entry + " of step " + plan.step() + " of rank " + plan.rank() +
                " depends on draft tokens, for which this backend has no source of guesses");
        }
        sampled += plan.samples(entry) ? 1 + plan.drafts(entry) : 0;
        backs[entry] = plan.predecessorBack(entry);
        backEntries[entry] = backs[entry] > 0 ? plan.predecessorEntry(entry) : 0;
        firstTokens[entry] = tokenCount;
        temperatures[entry] = request.isGreedy() ? 0.0f : request.temperature();
        topKs[entry] = request.topK();
        topPs[entry] = request.topP();
        seeds[entry] = request.samplingSeed();
        wantLogprobs[entry] = request.wantsLogprobs();
        stopTokens.read(plan, entry);
        for (int i = 0; i < count; i++)
        {
            final int id = i < plan.hostTokens(entry) ? request.token(plan.start(entry) + i) : 0;
            check(id, Math.min(plan.start(entry) + i, plan.end(entry) - 1));
            ids[tokenCount] = id;
            tables[tokenCount++] = blockCount;
        }
        check(0, plan.end(entry) - 1);
        if (blocks.length < blockCount + request.blockCount())
        {
            blocks = Arrays.copyOf(blocks, 2 * (blockCount + request.blockCount()));
        }
        for (int i = 0; i < request.blockCount(); i++)
        {
            blocks[blockCount++] = request.blockId(i);
        }
    }

    /** Whether an entry's request wants the log-probability of its token. */
    boolean wantsLogprob(final int entry)
    {
        return wantLogprobs[entry];
    }

    private void check(final int id, final int position)
    {
        if (id < 0 || id >= limits.vocabulary())
        {
            refusal = "token " + id + " at position " + position + " is not in the vocabulary of " + limits.vocabulary() +
                "; submit token ids from 0 to " + (limits.vocabulary() - 1);
        }
        else if (position >= limits.maxPositions())
        {
            refusal = "position " + position + " is not below the " + limits.maxPositions() +
                " that the backend has memory for; submit shorter requests";
        }
    }

    /**
     * Connects entries with the steps that sampled their first tokens.
     *
     * @return why the step cannot be computed, or {@code null}.
     */
    String connect(final DeviceStepPlan plan, final FormerSteps former)
    {
        for (int entry = 0; refusal == null && entry < plan.entries(); entry++)
        {
            formers[entry] = -1;
            if (backs[entry] > 0)
            {
                final int sample = former.sampled(plan.step() - backs[entry], backEntries[entry]);
                ids[firstTokens[entry]] = -1 - sample;
                formers[entry] = sample;
                refusal = sample >= 0 ? null : "the step " + (plan.step() - backs[entry]) +
                    " that it continues was not computed";
            }
        }
        return refusal;
    }

    /** Writes all of it behind the tokens and entries of the block. */
    void write(final StepBlock block, final DeviceStepPlan plan)
    {
        block.beginFeed(blockCount);
        for (int entry = 0; entry < plan.entries(); entry++)
        {
            final int first = plan.samples(entry);
            if (first >= 0 && wantLogprobs[entry])
            {
                block.wantLogprobs();
            }
            for (int place = first; place < first + plan.places(entry); place++)
            {
                final int position = plan.position(plan.lastToken(place)) + 1;
                block.sampling(place, temperatures[entry], topKs[entry], topPs[entry], position, seeds[entry]);
            }
        }
        for (int token = 0; token < tokenCount; token++)
        {
            block.feed(token, ids[token], tables[token]);
        }
        for (int i = 0; i < blockCount; i++)
        {
            block.block(i, blocks[i]);
        }
        stopTokens.write(block, plan);
        if (drafts != null)
        {
            drafts.write(block, plan, formers);
        }
    }

    /** Whether the device may start entries later than planned, and reject draft tokens. */
    boolean bindsLate()
    {
        return drafts != null;
    }

    /**
     * Where an entry started.
     *
     * @param ends of steps that were reported before this one.
     */
    int start(final DeviceStepPlan plan, final int entry, final EntryEnds ends)
    {
        final int lowest = plan.start(entry);
        return backs[entry] == 0 ? lowest : ends.end(plan.step() - backs[entry], backEntries[entry], lowest);
    }

    /** Tokens of an entry; only if it binds late. */
    int count(final int entry)
    {
        return drafts.count(entry);
    }
}
