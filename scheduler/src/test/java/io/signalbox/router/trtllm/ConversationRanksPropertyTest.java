// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.Digits;
import io.signalbox.router.PlacementBatch;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class ConversationRanksPropertyTest
{
    /** A simple model: insertion order is the order of use, because every use removes and inserts the entry. */
    private static final class Model
    {
        private final int maxSessions;
        private final Map<Long, Integer> ranks = new LinkedHashMap<>();

        Model(final int maxSessions)
        {
            this.maxSessions = maxSessions;
        }

        void bind(final long conversation, final int rank)
        {
            if (ranks.size() == maxSessions)
            {
                ranks.remove(ranks.keySet().iterator().next());
            }
            ranks.put(conversation, rank);
        }

        void touch(final long conversation)
        {
            ranks.put(conversation, ranks.remove(conversation));
        }
    }

    @Provide
    Arbitrary<List<Long>> calls()
    {
        return Digits.lists(400);
    }

    @Property(tries = 500)
    void everyCallDoesWhatALinkedHashMapDoes(
        @ForAll("calls") final List<Long> calls, @ForAll @IntRange(min = 1, max = 70) final int sessions)
    {
        final Model model = new Model(sessions);
        final ConversationRanks ranks = new ConversationRanks(sessions);
        for (int i = 0; i < calls.size(); i++)
        {
            final Digits call = new Digits(calls.get(i));
            // Neighbours, multiples of a large power of two, and both signs: a weak hash would cluster.
            final long conversation = (long)call.nextInt(2 * sessions) << (call.nextBoolean() ? 40 : 0) ^ -call.nextInt(2);
            final Integer bound = model.ranks.get(conversation);
            assertEquals(bound == null ? PlacementBatch.NO_RANK : bound, ranks.rank(conversation));
            if (bound == null)
            {
                model.bind(conversation, i);
                ranks.bind(conversation, i);
            }
            else if (call.nextBoolean())
            {
                model.touch(conversation);
                ranks.touch(conversation);
            }
            assertEquals(model.ranks.size(), ranks.size());
        }
        final long[] inOrder = new long[ranks.size()];
        ranks.inOrderOfUse(inOrder);
        assertArrayEquals(model.ranks.keySet().stream().mapToLong(id -> id).toArray(), inOrder);
    }

    @Property(tries = 200)
    void theDigestTellsBindingsAndOrdersApart(@ForAll @Size(8) final List<@IntRange(max = 3) Integer> bound)
    {
        final ConversationRanks one = new ConversationRanks(8);
        final ConversationRanks other = new ConversationRanks(8);
        for (int i = 0; i < 8; i++)
        {
            one.bind(i, bound.get(i));
            other.bind(i, bound.get(i));
        }
        assertEquals(one.digest(), other.digest());
        one.touch(1);
        one.touch(2);
        other.touch(2);
        other.touch(1);
        assertNotEquals(one.digest(), other.digest(), "another conversation leaves first");
    }
}
