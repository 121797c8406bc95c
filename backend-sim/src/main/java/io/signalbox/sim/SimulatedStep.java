// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.ScheduleWords;
import io.signalbox.event.StepView;

/**
 * One step that a simulated rank was given. Its results are decided when it is launched: only then are the entries of
 * earlier steps decided from which its entries continue. Reused.
 */
final class SimulatedStep
{
    static final long NONE = -1;
    private static final int WORDS = StepView.ENTRY_WORDS;

    long number = NONE;
    int epoch;
    int rank;
    int tokens;
    int weightGeneration;
    boolean launched;
    /** Its completion waits for another one, or never comes. */
    boolean silent;
    /** When a fault lets it be reported; 0: at its time. */
    long lateNanos;
    long costNanos;
    long delayNanos;
    final StepTokens results = new StepTokens();
    private int entries;
    /** As {@link StepView#copyEntries} copies them. */
    private long[] words = new long[16 * WORDS];
    private int[] starts = new int[16];
    /** Where an entry that continues from this one starts. */
    private int[] nextStarts = new int[16];

    void read(final StepView plan)
    {
        number = plan.step();
        epoch = plan.epoch();
        rank = plan.rank();
        tokens = plan.tokens();
        weightGeneration = plan.weightGeneration();
        launched = false;
        silent = false;
        lateNanos = 0;
        entries = plan.entryCount();
        ensureCapacity();
        plan.copyEntries(words);
        for (int i = 0; i < entries; i++)
        {
            starts[i] = ScheduleWords.start(words[i * WORDS + 1]);
        }
    }

    private void ensureCapacity()
    {
        if (entries > starts.length)
        {
            final int capacity = Math.max(entries, 2 * starts.length);
            words = new long[capacity * WORDS];
            starts = new int[capacity];
            nextStarts = new int[capacity];
        }
    }

    int entries()
    {
        return entries;
    }

    long requestId(final int entry)
    {
        return words[entry * WORDS];
    }

    int count(final int entry)
    {
        return ScheduleWords.tokenCount(words[entry * WORDS + 1]);
    }

    /** How many steps back the entry takes its first token from; 0: none. */
    int back(final int entry)
    {
        return ScheduleWords.predecessorBack((int)words[entry * WORDS + 3]);
    }

    private boolean samples(final int entry)
    {
        return ScheduleWords.samples((int)words[entry * WORDS + 3]);
    }

    /** No position at or above it is computed. */
    private int end(final int entry)
    {
        final long source = words[entry * WORDS + 2];
        final int highest = ScheduleWords.start(words[entry * WORDS + 1]) + ScheduleWords.slack(source);
        return highest + count(entry) - ScheduleWords.clip(source);
    }

    /** Position at which the entry starts, once the step was decided. */
    int start(final int entry)
    {
        return results.start(entry);
    }

    /** Tokens of the entry whose keys and values count, once the step was decided. */
    int kept(final int entry)
    {
        return back(entry) == 0 ? count(entry) : results.accepted(entry);
    }

    /** The last row of the step whose token counts as computed, once the step was decided; -1 if there is none. */
    int lastKeptRow()
    {
        int last = -1;
        int row = 0;
        for (int entry = 0; entry < entries; entry++)
        {
            last = kept(entry) == 0 ? last : row + kept(entry) - 1;
            row += count(entry);
        }
        return last;
    }

    /** The entry starts where the host said, or behind what the entry of an earlier step accepted. */
    void bind(final int entry, final SimulatedStep predecessor)
    {
        if (predecessor != null)
        {
            starts[entry] = predecessor.nextStarts[ScheduleWords.predecessorEntry(words[entry * WORDS + 2])];
        }
    }

    /** Decides tokens and accepted drafts, by weights, request and position. */
    void decide(final SampledTokens sampled, final DraftAcceptance drafts)
    {
        results.begin(epoch, rank, number);
        for (int entry = 0; entry < entries; entry++)
        {
            final int start = starts[entry];
            results.entry(start);
            int accepted = samples(entry) ? 1 : 0;
            int last = start + count(entry);
            if (back(entry) > 0)
            {
                accepted = accepted(drafts, entry);
                last = start + accepted;
            }
            for (int position = last - accepted + 1; position <= last; position++)
            {
                final int token = sampled.token(requestId(entry), position, weightGeneration);
                results.accept(token, sampled.logprob(requestId(entry), position));
            }
            nextStarts[entry] = last;
        }
    }

    /** The first token is right, drafts until the first wrong one; nothing at or above the end. */
    private int accepted(final DraftAcceptance drafts, final int entry)
    {
        final int start = starts[entry];
        final int most = Math.min(count(entry), end(entry) - start);
        int accepted = Math.min(1, Math.max(0, most));
        while (accepted < most && drafts.isRight(requestId(entry), start + accepted))
        {
            accepted++;
        }
        return accepted;
    }

    /** A step that stays as it is while this one is used again. */
    SimulatedStep copy()
    {
        final SimulatedStep copy = new SimulatedStep();
        copy.number = number;
        copy.epoch = epoch;
        copy.rank = rank;
        copy.results.begin(epoch, rank, number);
        copy.tokens = tokens;
        copy.weightGeneration = weightGeneration;
        copy.entries = entries;
        copy.words = words.clone();
        int token = 0;
        for (int entry = 0; entry < entries; entry++)
        {
            copy.results.entry(results.start(entry));
            for (int left = results.accepted(entry); left > 0; left--)
            {
                copy.results.accept(results.token(token++));
            }
        }
        copy.results.computed(results.computeNanos());
        return copy;
    }
}
