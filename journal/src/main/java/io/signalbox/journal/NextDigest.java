// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.List;

/** Runs a journal on behind a group that differs, up to the group whose inputs make the next state digests due. */
final class NextDigest
{
    private static final List<String> COMPONENTS =
        List.of("KV block pool", "prefix index", "routed-expert rows", "requests", "router");

    private final GroupSource reader;
    private final Scheduler scheduler;
    private final PlacedOrder placed;
    private final GroupReader messages = new GroupReader();
    private final Found recorded = new Found();
    private final Found replayed = new Found();

    /** The digests of one group. */
    private static final class Found implements RunListener
    {
        private final RunFold fold = RunFold.within(this);
        private long[] digests;

        private long[] in(final DirectBuffer group, final int length)
        {
            digests = null;
            fold.onGroup(group, 0, length);
            return digests;
        }

        @Override
        public void onDigest(final DigestDecoder digest)
        {
            digests = new long[] {digest.poolDigest(), digest.prefixIndexDigest(), digest.rowsDigest(),
                digest.requestsDigest(), digest.routerDigest()};
        }
    }

    /** @param placed the order for the scheduler; {@code null} if prompts have their first tokens. */
    NextDigest(final GroupSource reader, final Scheduler scheduler, final PlacedOrder placed)
    {
        this.reader = reader;
        this.scheduler = scheduler;
        this.placed = placed;
    }

    /**
     * @param group  of the scheduler, which the journal's current group differs from; overwritten.
     * @param record up to which the journal may be read.
     * @return {@code null} if there is none, or the scheduler cannot apply what follows.
     */
    DigestComparison compare(final GroupWriter group, final long record)
    {
        try
        {
            while (true)
            {
                final long[] was = recorded.in(reader.group(), reader.groupLength());
                final long[] is = replayed.in(group.buffer(), group.length());
                if (was != null)
                {
                    return is == null ? null : compare(was, is);
                }
                if (reader.sequence() >= record || !reader.next())
                {
                    return null;
                }
                group.reset();
                messages.wrap(reader.group(), 0, reader.groupLength()).next();
                if (placed != null)
                {
                    placed.read(reader.group(), 0, reader.groupLength());
                }
                scheduler.readRecorded(reader.group(), 0, reader.groupLength());
                scheduler.apply(
                    reader.group(), messages.offset(), messages.messageLength(), reader.rows(), 0, group);
            }
        }
        catch (final RuntimeException | AssertionError e)
        {
            // Inputs that answer other decisions than this scheduler's may be impossible for it.
            return null;
        }
    }

    private DigestComparison compare(final long[] was, final long[] is)
    {
        final List<String> different = new ArrayList<>();
        final List<String> equal = new ArrayList<>();
        for (int i = 0; i < was.length; i++)
        {
            (was[i] == is[i] ? equal : different).add(COMPONENTS.get(i));
        }
        return new DigestComparison(reader.sequence(), different, equal);
    }
}
