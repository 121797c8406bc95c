// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

/** The figures that a step costs by: its tokens of prefill, its decode entries and their context. */
final class StepWork
{
    private long prefillTokens;
    private long decodeEntries;
    private long contextTokens;

    /** @param step that was decided. */
    void count(final SimulatedStep step)
    {
        prefillTokens = 0;
        decodeEntries = 0;
        contextTokens = 0;
        for (int entry = 0; entry < step.entries(); entry++)
        {
            final int count = step.count(entry);
            if (count == 1 || step.back(entry) > 0)
            {
                decodeEntries++;
                contextTokens += step.start(entry) + count;
                // A draft token costs what a token of a prompt costs.
                prefillTokens += count - 1;
            }
            else
            {
                prefillTokens += count;
            }
        }
    }

    long prefillTokens()
    {
        return prefillTokens;
    }

    long decodeEntries()
    {
        return decodeEntries;
    }

    /** Positions that the decode entries read. */
    long contextTokens()
    {
        return contextTokens;
    }
}
