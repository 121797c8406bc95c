// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.ConfigException;
import io.signalbox.StateDigest;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterSnapshot;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Map from a conversation to the rank it is bound to, for a bounded number of conversations; evicts the least recently
 * used one. Open addressing over entries that are linked in order of use. Allocates nothing once it has grown to its
 * bound.
 */
public final class ConversationRanks
{
    private static final int NONE = -1;
    private static final int FIRST_CAPACITY = 16;
    private static final int SNAPSHOT_ENTRY_BYTES = Long.BYTES + Integer.BYTES + Long.BYTES;

    private final int maxSessions;
    private long[] conversations;
    private int[] ranks;
    private long[] uses;
    private int[] older;
    private int[] newer;
    /** Entry + 1 by the hash of its conversation; 0: empty. At most half full. */
    private int[] slots;
    private int size;
    private int oldest = NONE;
    private int newest = NONE;
    private long clock;
    private long digest;

    /** @param maxSessions most conversations to remember, at least 1. */
    public ConversationRanks(final int maxSessions)
    {
        this.maxSessions = maxSessions;
        final int capacity = Math.min(FIRST_CAPACITY, maxSessions);
        conversations = new long[capacity];
        ranks = new int[capacity];
        uses = new long[capacity];
        older = new int[capacity];
        newer = new int[capacity];
        slots = new int[slotsFor(capacity)];
    }

    private static int slotsFor(final int capacity)
    {
        return Integer.highestOneBit(capacity) << 2;
    }

    public int size()
    {
        return size;
    }

    /** Digest of all bindings and the order of their use. */
    public long digest()
    {
        return digest;
    }

    /** The rank of the conversation, or {@link PlacementBatch#NO_RANK}; does not count as a use. */
    public int rank(final long conversation)
    {
        final int entry = slots[slotOf(conversation)] - 1;
        return entry == NONE ? PlacementBatch.NO_RANK : ranks[entry];
    }

    /** Makes a bound conversation the one that was used last. */
    public void touch(final long conversation)
    {
        final int entry = slots[slotOf(conversation)] - 1;
        digest -= mix(entry);
        unlink(entry);
        linkNewest(entry);
        digest += mix(entry);
    }

    /** Binds a conversation that is not bound. */
    public void bind(final long conversation, final int rank)
    {
        final int entry = size < maxSessions ? added() : evicted();
        conversations[entry] = conversation;
        ranks[entry] = rank;
        slots[slotOf(conversation)] = entry + 1;
        linkNewest(entry);
        digest += mix(entry);
    }

    private int added()
    {
        if (size == conversations.length)
        {
            grow(Math.min(2 * size, maxSessions));
        }
        return size++;
    }

    private int evicted()
    {
        final int entry = oldest;
        digest -= mix(entry);
        unlink(entry);
        closeGap(slotOf(conversations[entry]));
        return entry;
    }

    private void grow(final int capacity)
    {
        conversations = Arrays.copyOf(conversations, capacity);
        ranks = Arrays.copyOf(ranks, capacity);
        uses = Arrays.copyOf(uses, capacity);
        older = Arrays.copyOf(older, capacity);
        newer = Arrays.copyOf(newer, capacity);
        slots = new int[slotsFor(capacity)];
        for (int entry = 0; entry < size; entry++)
        {
            slots[slotOf(conversations[entry])] = entry + 1;
        }
    }

    private void unlink(final int entry)
    {
        final int before = older[entry];
        final int after = newer[entry];
        oldest = before == NONE ? after : oldest;
        newest = after == NONE ? before : newest;
        if (before != NONE)
        {
            newer[before] = after;
        }
        if (after != NONE)
        {
            older[after] = before;
        }
    }

    private void linkNewest(final int entry)
    {
        uses[entry] = ++clock;
        older[entry] = newest;
        newer[entry] = NONE;
        if (newest == NONE)
        {
            oldest = entry;
        }
        else
        {
            newer[newest] = entry;
        }
        newest = entry;
    }

    /** The slot of the conversation, or the empty slot for it. */
    private int slotOf(final long conversation)
    {
        int slot = home(conversation);
        while (slots[slot] != 0 && conversations[slots[slot] - 1] != conversation)
        {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    private int home(final long conversation)
    {
        return (int)StateDigest.mix(conversation) & slots.length - 1;
    }

    /** Moves later entries of the probe run back, so that look-ups need no tombstones. */
    private void closeGap(final int removed)
    {
        final int mask = slots.length - 1;
        int gap = removed;
        int slot = gap + 1 & mask;
        while (slots[slot] != 0)
        {
            final int distance = slot - home(conversations[slots[slot] - 1]) & mask;
            if (distance >= (slot - gap & mask))
            {
                slots[gap] = slots[slot];
                gap = slot;
            }
            slot = slot + 1 & mask;
        }
        slots[gap] = 0;
    }

    private long mix(final int entry)
    {
        return StateDigest.mix(conversations[entry], ranks[entry], uses[entry]);
    }

    long snapshotBytes()
    {
        return Integer.BYTES + (long)size * SNAPSHOT_ENTRY_BYTES;
    }

    /** Writes each conversation with its rank and last use, least recently used first; the latest use is the clock. */
    void snapshot(final ByteBuffer into)
    {
        into.putInt(size);
        for (int entry = oldest; entry != NONE; entry = newer[entry])
        {
            into.putLong(conversations[entry]).putInt(ranks[entry]).putLong(uses[entry]);
        }
    }

    /** Reads what {@link #snapshot} wrote; nothing may be bound yet. */
    void restore(final ByteBuffer from, final int rankCount)
    {
        final int sizeThen = from.getInt();
        if (sizeThen > maxSessions)
        {
            throw ConfigException.because("the router snapshot remembers " + sizeThen + " conversations, and ",
                    new ConfigException.Named("maxSessions", Integer.toString(maxSessions)), " fewer")
                .allowed("at least " + sizeThen).remedy("give a larger maxSessions");
        }
        for (int i = 0; i < sizeThen; i++)
        {
            final long conversation = from.getLong();
            final int rank = RouterSnapshot.rank(from.getInt(), rankCount);
            final long use = from.getLong();
            if (use <= clock || rank(conversation) != PlacementBatch.NO_RANK)
            {
                throw new ConfigException("the router snapshot has conversation " + conversation +
                    " out of order; it is damaged.");
            }
            clock = use - 1;
            bind(conversation, rank);
        }
    }

    /** Writes the conversations into an array of at least {@link #size()}, the least recently used first. */
    public void inOrderOfUse(final long[] destination)
    {
        int at = 0;
        for (int entry = oldest; entry != NONE; entry = newer[entry])
        {
            destination[at++] = conversations[entry];
        }
    }
}
