// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.event.StepView;

/** Reads the entries of a step: what they cost, and which tokens they sample. */
final class StepReader
{
    private final long seed;
    private int entries;
    private int tokens;
    private long prefillTokens;
    private long decodeEntries;
    private long contextTokens;

    StepReader(final long seed)
    {
        this.seed = seed;
    }

    /**
     * @param reuse an array for the sampled tokens, used if it is long enough.
     * @return one sampled token per entry.
     */
    int[] read(final StepView step, final int[] reuse)
    {
        entries = step.entryCount();
        tokens = 0;
        prefillTokens = 0;
        decodeEntries = 0;
        contextTokens = 0;
        final int[] sampled = reuse.length >= entries ? reuse : new int[Math.max(entries, 2 * reuse.length)];
        for (int entry = 0; entry < entries; entry++)
        {
            final int count = step.tokenCount(entry);
            final int end = step.start(entry) + count;
            tokens += count;
            if (count == 1)
            {
                decodeEntries++;
                contextTokens += end;
            }
            else
            {
                prefillTokens += count;
            }
            sampled[entry] = SeededTokens.token(seed, step.requestId(entry), end);
        }
        return sampled;
    }

    int entries()
    {
        return entries;
    }

    int tokens()
    {
        return tokens;
    }

    long prefillTokens()
    {
        return prefillTokens;
    }

    long decodeEntries()
    {
        return decodeEntries;
    }

    long contextTokens()
    {
        return contextTokens;
    }
}
