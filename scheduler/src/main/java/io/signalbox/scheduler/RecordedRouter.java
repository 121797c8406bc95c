// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import org.agrona.DirectBuffer;
import org.agrona.collections.IntArrayList;

/**
 * Repeats the recorded decisions of a router version that is not installed. It reads them from the {@code Placed} events of
 * the group that is replayed, and the digest of the router's state from its {@code Digest}.
 */
final class RecordedRouter extends EventReader
{
    private static final int NOT_IN_BATCH = -1;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final PlacedDecoder placed = new PlacedDecoder();
    private final IntArrayList placements = new IntArrayList();
    private PlacementBatchWriter terms;
    /** The recorded group of the input that is applied next; {@code null}: there is none. */
    private DirectBuffer group;
    private int next;
    private long repeated;
    private long digest;

    RecordedRouter()
    {
        super(PlacedDecoder.TEMPLATE_ID, DigestDecoder.TEMPLATE_ID);
    }

    void into(final PlacementBatchWriter writer)
    {
        terms = writer;
    }

    /** Takes the decisions of a group, whose bytes stay as they are until {@link #forget}. */
    void read(final DirectBuffer recorded, final int offset, final int length)
    {
        placements.clear();
        next = 0;
        group = recorded;
        readGroup(recorded, offset, length);
    }

    /** The group of an input that the installed router decides. */
    void follow(final DirectBuffer recorded)
    {
        group = recorded;
    }

    /** Whether a recorded run is replayed. */
    boolean hasGroup()
    {
        return group != null;
    }

    void forget()
    {
        group = null;
    }

    @Override
    protected void onPlaced(final PlacedDecoder message)
    {
        placements.addInt(message.offset() - MessageHeaderDecoder.ENCODED_LENGTH);
        group = message.buffer();
    }

    @Override
    protected void onDigest(final DigestDecoder message)
    {
        digest = message.routerDigest();
    }

    /** Requests that the record did not place in this batch stay queued. */
    void place(final PlacementBatch batch)
    {
        if (group == null)
        {
            throw new InvariantViolation("a router that is not installed is to place " + batch.count() + " requests");
        }
        int request = 0;
        while (next < placements.size() && request != NOT_IN_BATCH)
        {
            placed.wrapAndApplyHeader(group, placements.getInt(next), header);
            request = indexIn(batch, placed.requestId());
            if (request != NOT_IN_BATCH)
            {
                terms.repeat(request, placed);
                next++;
                repeated++;
            }
        }
    }

    private static int indexIn(final PlacementBatch batch, final long requestId)
    {
        for (int request = 0; request < batch.count(); request++)
        {
            if (batch.requestId(request) == requestId)
            {
                return request;
            }
        }
        return NOT_IN_BATCH;
    }

    /** Decisions that were repeated since the scheduler was made. */
    long repeated()
    {
        return repeated;
    }

    /** Of the router's state behind the last {@code Digest} that was read. */
    long digest()
    {
        return digest;
    }

    void digest(final long recorded)
    {
        digest = recorded;
    }
}
