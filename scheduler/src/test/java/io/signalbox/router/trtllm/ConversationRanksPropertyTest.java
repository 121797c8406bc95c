// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.router.PlacementBatch;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

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

    @Property(tries = 500)
    void everyCallDoesWhatALinkedHashMapDoes(
        @ForAll final long seed, @ForAll @IntRange(min = 1, max = 70) final int sessions)
    {
        final Random random = new Random(seed);
        final Model model = new Model(sessions);
        final ConversationRanks ranks = new ConversationRanks(sessions);
        final int ids = 1 + random.nextInt(2 * sessions);
        for (int i = 0; i < 400; i++)
        {
            // Neighbours, multiples of a large power of two, and both signs: a weak hash would cluster.
            final long conversation = (long)random.nextInt(ids) << (random.nextBoolean() ? 0 : 40) ^ -random.nextInt(2);
            final Integer bound = model.ranks.get(conversation);
            assertEquals(bound == null ? PlacementBatch.NO_RANK : bound, ranks.rank(conversation));
            if (bound == null)
            {
                model.bind(conversation, i);
                ranks.bind(conversation, i);
            }
            else if (random.nextBoolean())
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
    void theDigestTellsBindingsAndOrdersApart(@ForAll final long seed)
    {
        final Random random = new Random(seed);
        final ConversationRanks one = new ConversationRanks(8);
        final ConversationRanks other = new ConversationRanks(8);
        for (int i = 0; i < 8; i++)
        {
            final int rank = random.nextInt(4);
            one.bind(i, rank);
            other.bind(i, rank);
        }
        assertEquals(one.digest(), other.digest());
        one.touch(1);
        one.touch(2);
        other.touch(2);
        other.touch(1);
        assertNotEquals(one.digest(), other.digest(), "another conversation leaves first");
    }
}
