// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

/**
 * Encodes one plan at a time, with entries and no changes, to check a backend without a scheduler. Reuses its buffer.
 * Not thread-safe.
 */
public final class StepWriter
{
    private final GroupWriter group = new GroupWriter(4096);
    private final Plan plan = new Plan();
    private final StepView view = new StepView();
    private int epoch;
    private int rank;

    /**
     * Begins a plan; call {@link #entry} for each of its entries.
     *
     * @param tokens     tokens of all entries together.
     * @param entryCount number of entries.
     */
    public StepWriter begin(
        final int rankIndex, final int epochNumber, final long step, final int tokens, final int entryCount)
    {
        rank = rankIndex;
        epoch = epochNumber;
        plan.begin(step, tokens, entryCount);
        return this;
    }

    /** Appends an entry of {@code tokenCount} tokens from position {@code start}, behind which it samples one. */
    public StepWriter entry(final long requestId, final int start, final int tokenCount)
    {
        return entry(requestId, start, tokenCount, true);
    }

    /** @param samples whether the entry samples a token. */
    public StepWriter entry(final long requestId, final int start, final int tokenCount, final boolean samples)
    {
        plan.add(requestId, start, tokenCount, samples);
        return this;
    }

    /** The plan that was written last; valid until the next {@link #begin}. */
    public StepView view()
    {
        group.reset();
        ScheduleWriter.writeEntriesOnly(group, plan, epoch, rank);
        return view.wrap(group.buffer(), GroupWriter.LENGTH_BYTES);
    }

    private static final class Plan implements PlannedEntries
    {
        private long step;
        private int tokens;
        private int count;
        private long[] words = {};

        void begin(final long number, final int tokenCount, final int entries)
        {
            step = number;
            tokens = tokenCount;
            count = 0;
            if (words.length < entries * ScheduleWords.WORDS)
            {
                words = new long[entries * ScheduleWords.WORDS];
            }
        }

        void add(final long requestId, final int start, final int tokenCount, final boolean samples)
        {
            final int at = count++ * ScheduleWords.WORDS;
            words[at] = requestId;
            words[at + 1] = ScheduleWords.range(start, tokenCount);
            words[at + 2] = ScheduleWords.source(0, 0, 0);
            words[at + 3] = ScheduleWords.kind(0, 0, samples);
        }

        @Override
        public long step()
        {
            return step;
        }

        @Override
        public int tokens()
        {
            return tokens;
        }

        @Override
        public int weightGeneration()
        {
            return 0;
        }

        @Override
        public int entryCount()
        {
            return count;
        }

        @Override
        public long[] entryWords()
        {
            return words;
        }

        @Override
        public int entryStride()
        {
            return ScheduleWords.WORDS;
        }
    }
}
