// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.GroupCursor;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A run that is kept in memory, without its rows. */
final class MemoryGroups implements GroupJournal
{
    private final Map<String, String> settings;
    private final List<byte[]> groups = new ArrayList<>();

    MemoryGroups(final Map<String, String> settings)
    {
        this.settings = settings;
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        final byte[] bytes = new byte[length];
        group.getBytes(offset, bytes);
        groups.add(bytes);
    }

    @Override
    public void endOfBatch()
    {
        // Nothing is buffered.
    }

    @Override
    public void close()
    {
        // The groups are read later.
    }

    /** The run with another description. */
    MemoryGroups with(final Map<String, String> otherSettings)
    {
        final MemoryGroups other = new MemoryGroups(otherSettings);
        other.groups.addAll(groups);
        return other;
    }

    /** The run as far as it had come when it was killed, at a share of its groups. */
    MemoryGroups cutAt(final double share)
    {
        final MemoryGroups other = new MemoryGroups(settings);
        other.groups.addAll(groups.subList(0, (int)(groups.size() * share)));
        return other;
    }

    /** The run with a group whose first message is longer than the group. */
    MemoryGroups withBroken(final int index)
    {
        final MemoryGroups other = cutAt(1.0);
        final byte[] broken = groups.get(index).clone();
        Arrays.fill(broken, 0, Integer.BYTES, (byte)0x7F);
        other.groups.set(index, broken);
        return other;
    }

    GroupCursor cursor()
    {
        return new GroupCursor()
        {
            private final UnsafeBuffer group = new UnsafeBuffer(new byte[0]);
            private int next;

            @Override
            public Map<String, String> settings()
            {
                return settings;
            }

            @Override
            public boolean next()
            {
                if (next == groups.size())
                {
                    return false;
                }
                group.wrap(groups.get(next++));
                return true;
            }

            @Override
            public DirectBuffer group()
            {
                return group;
            }

            @Override
            public int groupLength()
            {
                return group.capacity();
            }

            @Override
            public RuntimeException undecodable(final Throwable cause)
            {
                return new IllegalStateException("group " + next + " cannot be decoded", cause);
            }

            @Override
            public void close()
            {
                // Nothing is open.
            }
        };
    }
}
