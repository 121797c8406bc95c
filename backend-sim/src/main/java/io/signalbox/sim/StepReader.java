// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.backend.PlanRows;
import io.signalbox.event.codec.ScheduleDecoder;

/** Reads the rows of a plan: what they cost, and which tokens they sample. */
final class StepReader
{
    private final long seed;
    private int rows;
    private int tokens;
    private long prefillTokens;
    private long decodeRows;
    private long contextTokens;

    StepReader(final long seed)
    {
        this.seed = seed;
    }

    /**
     * @param plan  groups not yet read.
     * @param reuse an array for the sampled tokens, used if it is long enough.
     * @return one sampled token per row.
     */
    int[] read(final ScheduleDecoder plan, final int[] reuse)
    {
        final ScheduleDecoder.RowsDecoder row = PlanRows.of(plan);
        rows = row.count();
        tokens = 0;
        prefillTokens = 0;
        decodeRows = 0;
        contextTokens = 0;
        final int[] sampled = reuse.length >= rows ? reuse : new int[Math.max(rows, 2 * reuse.length)];
        for (int i = 0; i < rows; i++)
        {
            row.next();
            final int count = row.tokenCount();
            final int end = row.start() + count;
            tokens += count;
            if (count == 1)
            {
                decodeRows++;
                contextTokens += end;
            }
            else
            {
                prefillTokens += count;
            }
            sampled[i] = SeededTokens.token(seed, row.requestId(), end);
        }
        return sampled;
    }

    int rows()
    {
        return rows;
    }

    int tokens()
    {
        return tokens;
    }

    long prefillTokens()
    {
        return prefillTokens;
    }

    long decodeRows()
    {
        return decodeRows;
    }

    long contextTokens()
    {
        return contextTokens;
    }
}
