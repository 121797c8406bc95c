// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import java.util.ArrayList;
import java.util.List;

/**
 * The last batches of one rank, numbered from 0. The engine's thread appends and never waits for a reader. A reader that is
 * too slow misses batches, and their numbers say so.
 */
final class KvEventLog
{
    private final int rank;
    private final KvBatch[] batches;
    private final long[] sizes;
    private final long mostBytes;
    /** Kept batches have the numbers from {@code first} to {@code next - 1}. */
    private long first;
    private long next;
    private long bytes;

    /**
     * @param most      batches that are kept.
     * @param mostBytes about as many bytes of batches are kept, and always the last batch.
     */
    KvEventLog(final int rank, final int most, final long mostBytes)
    {
        this.rank = rank;
        this.mostBytes = mostBytes;
        batches = new KvBatch[most];
        sizes = new long[most];
    }

    /** Appends the changes of one group, as one batch or several. */
    synchronized void append(final double seconds, final List<KvEvent> events)
    {
        KvBatch.parts(events).forEach(part -> appendBatch(seconds, part));
    }

    private void appendBatch(final double seconds, final List<KvEvent> events)
    {
        final int place = place(next);
        final long size = KvBatch.bytes(events);
        while (first < next && (next - first == batches.length || bytes + size > mostBytes))
        {
            bytes -= sizes[place(first)];
            batches[place(first++)] = null;
        }
        batches[place] = new KvBatch(next++, seconds, rank, events);
        sizes[place] = size;
        bytes += size;
    }

    private int place(final long sequence)
    {
        return (int)(sequence % batches.length);
    }

    /** The number of the last batch; -1: there is none. */
    synchronized long last()
    {
        return next - 1;
    }

    /** At most so many batches from this number on, or from the oldest that is kept. */
    synchronized List<KvBatch> from(final long sequence, final int most)
    {
        final List<KvBatch> found = new ArrayList<>();
        for (long at = Math.max(sequence, first); at < next && found.size() < most; at++)
        {
            found.add(batches[place(at)]);
        }
        return found;
    }
}
