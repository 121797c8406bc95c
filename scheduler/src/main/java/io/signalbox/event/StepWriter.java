// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import org.agrona.ExpandableArrayBuffer;

/**
 * Encodes one plan at a time, with entries and no changes, to check a backend without a scheduler. Reuses its buffer.
 * Not thread-safe.
 */
public final class StepWriter
{
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(4096);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final ScheduleEncoder encoder = new ScheduleEncoder();
    private final StepView view = new StepView();
    private ScheduleEncoder.EntriesEncoder entries;

    /**
     * Begins a plan; call {@link #entry} for each of its entries.
     *
     * @param tokens     tokens of all entries together.
     * @param entryCount number of entries.
     */
    public StepWriter begin(final int rank, final int epoch, final long step, final int tokens, final int entryCount)
    {
        encoder.wrapAndApplyHeader(buffer, 0, header).step(step).epoch(epoch).rank(rank).tokens(tokens)
            .weightGeneration(0);
        encoder.admittedCount(0);
        encoder.evictedCount(0);
        encoder.tableChangesCount(0);
        encoder.pendingCount(0);
        entries = encoder.entriesCount(entryCount);
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
        entries.next().requestId(requestId).start(start).tokenCount(tokenCount).predecessorEntry(0)
            .slack(0).clip(0).predecessorBack((short)0).drafts((short)0).samples(samples ? Flag.YES : Flag.NO);
        return this;
    }

    /** The plan that was written last; valid until the next {@link #begin}. */
    public StepView view()
    {
        return view.wrap(buffer, 0);
    }
}
