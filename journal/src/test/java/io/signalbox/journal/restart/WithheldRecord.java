// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Groups of a journal, and the keyed hashes of its inputs in their order. */
final class WithheldRecord extends EventReader
{
    private final List<byte[]> groups = new ArrayList<>();
    private final List<Long> hashes = new ArrayList<>();
    private final List<Long> placed = new ArrayList<>();

    static WithheldRecord of(final Path journal)
    {
        final WithheldRecord kept = new WithheldRecord();
        try (JournalReader reader = JournalReader.open(journal))
        {
            while (reader.next())
            {
                final byte[] group = new byte[reader.groupLength()];
                reader.group().getBytes(0, group);
                kept.groups.add(group);
                kept.readGroup(reader.group(), 0, reader.groupLength());
            }
        }
        return kept;
    }

    @Override
    protected void onSubmit(final SubmitDecoder submit)
    {
        final ByteBuffer given = ByteBuffer.allocate(submit.blockHashesLength()).order(ByteOrder.LITTLE_ENDIAN);
        submit.getBlockHashes(given.array(), 0, given.capacity());
        while (given.hasRemaining())
        {
            hashes.add(given.getLong());
        }
    }

    @Override
    protected void onD2hComplete(final CompletionView completion)
    {
        for (int i = 0; i < completion.tokenCount(); i++)
        {
            if (completion.blockHash(i) != 0)
            {
                hashes.add(completion.blockHash(i));
            }
        }
    }

    @Override
    protected void onPlaced(final PlacedDecoder decision)
    {
        placed.add(decision.requestId());
    }

    /** Whether the journals have the same bytes except for the values of keyed hashes; equal hashes stay equal. */
    boolean equalsButForHashes(final WithheldRecord other)
    {
        if (groups.size() != other.groups.size() || hashes.size() != other.hashes.size())
        {
            return false;
        }
        final Map<Long, Long> names = new HashMap<>();
        for (int i = 0; i < hashes.size(); i++)
        {
            final Long former = names.put(hashes.get(i), other.hashes.get(i));
            if (former != null && !former.equals(other.hashes.get(i)))
            {
                return false;
            }
        }
        for (int i = 0; i < groups.size(); i++)
        {
            if (!Arrays.equals(renamed(groups.get(i), names), other.groups.get(i)))
            {
                return false;
            }
        }
        return true;
    }

    private static byte[] renamed(final byte[] group, final Map<Long, Long> names)
    {
        final ByteBuffer from = ByteBuffer.wrap(group).order(ByteOrder.LITTLE_ENDIAN);
        final byte[] to = group.clone();
        for (int at = 0; at + Long.BYTES <= group.length; at++)
        {
            final Long name = names.get(from.getLong(at));
            if (name != null)
            {
                ByteBuffer.wrap(to).order(ByteOrder.LITTLE_ENDIAN).putLong(at, name);
            }
        }
        return to;
    }

    List<Long> hashes()
    {
        return hashes;
    }

    /** Requests in the order of their placements. */
    List<Long> placed()
    {
        return placed;
    }

    long groupBytes()
    {
        return groups.stream().mapToLong(group -> group.length).sum();
    }
}
