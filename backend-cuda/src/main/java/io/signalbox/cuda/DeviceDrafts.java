// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.capture.StepBlock;
import io.signalbox.event.StepView;
import io.signalbox.serving.DraftSource;

import java.util.Arrays;

/** The part of a plan that late starts and draft tokens need: the bounds of each entry, and guesses for what is between. */
final class DeviceDrafts
{
    private final DraftSource source;
    private final int[] counts;
    private final int[] ends;
    /** By entry, where its guesses begin. */
    private final int[] begins;
    private int[] guesses = new int[0];
    private int guessCount;
    private int sampling;

    DeviceDrafts(final int maxTokens, final DraftSource source)
    {
        this.source = source;
        counts = new int[maxTokens];
        ends = new int[maxTokens];
        begins = new int[maxTokens];
    }

    void begin()
    {
        guessCount = 0;
        sampling = 0;
    }

    /** Wherever the entry starts, the guess for a position is the same. */
    void read(final StepView plan, final int entry, final int vocabulary)
    {
        counts[entry] = plan.tokenCount(entry);
        ends[entry] = plan.end(entry);
        begins[entry] = guessCount;
        sampling += plan.samples(entry) ? 1 : 0;
        final int count = plan.drafts(entry) == 0 ? 0 : plan.end(entry) - plan.start(entry) - 1;
        if (guesses.length < guessCount + count)
        {
            guesses = Arrays.copyOf(guesses, 2 * (guessCount + count));
        }
        if (count > 0)
        {
            source.guess(plan.request(entry), plan.start(entry) + 1, guesses, guessCount, count);
        }
        for (int i = guessCount; i < guessCount + count; i++)
        {
            // If there is no guess, token 0 is one like any other.
            guesses[i] = guesses[i] < 0 || guesses[i] >= vocabulary ? 0 : guesses[i];
        }
        guessCount += count;
    }

    long bytes()
    {
        return StepBlock.draftBytes(sampling, guessCount);
    }

    /** @param formers by entry, its first token and start among those that former steps left; -1: the host knows them. */
    void write(final StepBlock block, final DeviceStepPlan plan, final int[] formers)
    {
        block.beginDrafts(sampling, guessCount);
        int firstToken = 0;
        int binding = 0;
        for (int entry = 0; entry < plan.entries(); entry++)
        {
            if (plan.samples(entry) >= 0)
            {
                block.bind(binding++, firstToken, counts[entry], plan.samples(entry), plan.places(entry), formers[entry],
                    plan.start(entry), ends[entry], begins[entry]);
            }
            firstToken += counts[entry];
        }
        for (int i = 0; i < guessCount; i++)
        {
            block.guess(i, guesses[i]);
        }
    }

    /** Tokens of an entry. */
    int count(final int entry)
    {
        return counts[entry];
    }
}
