// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.Digits;
import io.signalbox.Tries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

class RequestQueueTest
{
    /** Against a list, in rings that have wrapped around and that have not. */
    @Property
    @Tries(reduced = 200, full = 200_000)
    void shouldKeepTheOrderOfTheOthers(@ForAll("changes") final List<Long> changes)
    {
        final RequestQueue queue = new RequestQueue();
        final List<Request> list = new ArrayList<>();
        for (final long change : changes)
        {
            final Random random = new Digits(change);
            change(queue, list, random.nextInt(list.size() < 20 ? 5 : 7), random);
            assertEquals(list.size(), queue.size());
            for (int i = 0; i < list.size(); i++)
            {
                assertSame(list.get(i), queue.get(i), "index " + i);
            }
        }
    }

    @Provide
    Arbitrary<List<Long>> changes()
    {
        return Digits.lists(500);
    }

    private static void change(
        final RequestQueue queue, final List<Request> list, final int kind, final Random random)
    {
        if (kind == 0)
        {
            list.add(0, new Request(null));
            queue.addFirst(list.get(0));
        }
        else if (kind <= 2 || list.isEmpty())
        {
            list.add(new Request(null));
            queue.addLast(list.get(list.size() - 1));
        }
        else if (kind == 3)
        {
            assertSame(list.remove(0), queue.removeFirst());
        }
        else
        {
            final int index = random.nextInt(list.size());
            queue.removeAt(index);
            list.remove(index);
        }
    }
}
