// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.SplitMix64;
import org.agrona.MutableDirectBuffer;

/** The routed-expert rows of steps, by what their tokens are. */
final class SimulatedRows
{
    private final SimulatedBackend.RowKey rowKeys;
    private final ExpertModel experts;
    /** Of the tokens of one entry. */
    private long[] keys = new long[16];

    SimulatedRows(final SimulatedBackend.RowKey rowKeys, final ExpertModel experts)
    {
        this.rowKeys = rowKeys;
        this.experts = experts;
    }

    int rowBytes()
    {
        return experts.shape().rowBytes();
    }

    /**
     * Writes the rows of one entry of a step that was decided. A token that was not accepted has a row of another content.
     *
     * @return the end offset, exclusive.
     */
    int write(final SimulatedStep step, final int entry, final MutableDirectBuffer target, final int offset)
    {
        final int count = step.count(entry);
        keys = keys.length < count ? new long[Math.max(count, 2 * keys.length)] : keys;
        rowKeys.keys(step.requestId(entry), step.start(entry), count, keys);
        for (int i = 0; i < count && step.weightGeneration > 0; i++)
        {
            keys[i] = SplitMix64.mix(keys[i], step.weightGeneration);
        }
        for (int i = step.kept(entry); i < count; i++)
        {
            keys[i] = ~keys[i];
        }
        return experts.writeRows(keys, count, target, offset);
    }
}
