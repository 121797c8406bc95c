// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** 1,000 tries in every build. */
class EventQueuePropertyTest
{
    private static final Comparator<Event> ORDER = Comparator.comparingLong(Event::timeNanos)
        .thenComparingInt(Event::phase).thenComparingInt(Event::identity).thenComparingLong(Event::sequence);

    record Event(long timeNanos, int phase, int identity, long sequence)
    {
    }

    @Provide
    Arbitrary<List<Event>> events()
    {
        // Small ranges, so that equal times and phases are the rule.
        return Combinators.combine(
                Arbitraries.longs().between(0, 5), Arbitraries.integers().between(0, 4),
                Arbitraries.integers().between(0, 3), Arbitraries.longs().between(0, 3))
            .as(Event::new).list().uniqueElements().ofMaxSize(200);
    }

    private static Event takeNext(final EventQueue queue)
    {
        final Event event =
            new Event(queue.nextNanos(), queue.nextPhase(), queue.nextIdentity(), queue.nextSequence());
        queue.removeNext();
        return event;
    }

    private static void replaceFirst(final EventQueue queue, final PriorityQueue<Event> model)
    {
        if (!model.isEmpty())
        {
            final Event first = model.remove();
            final Event later = new Event(first.timeNanos() + 2, 9, first.identity(), first.sequence());
            queue.replaceNext(later.timeNanos(), later.phase(), later.identity(), later.sequence());
            model.add(later);
        }
    }

    @Property
    void shouldGiveEventsByTimePhaseIdentityAndSequence(@ForAll("events") final List<Event> events)
    {
        final EventQueue queue = new EventQueue(1);
        events.forEach(e -> queue.add(e.timeNanos(), e.phase(), e.identity(), e.sequence()));
        final List<Event> taken = new ArrayList<>();
        while (queue.size() > 0)
        {
            taken.add(takeNext(queue));
        }
        assertEquals(events.stream().sorted(ORDER).toList(), taken);
        assertEquals(EventQueue.NEVER, queue.nextNanos());
    }

    @Property
    void shouldKeepTheOrderWhileEventsComeAndGo(
        @ForAll("events") final List<Event> events, @ForAll final List<Boolean> takes)
    {
        final EventQueue queue = new EventQueue(1);
        final PriorityQueue<Event> model = new PriorityQueue<>(ORDER);
        for (int i = 0; i < events.size(); i++)
        {
            final Event e = events.get(i);
            queue.add(e.timeNanos(), e.phase(), e.identity(), e.sequence());
            model.add(e);
            if (i < takes.size() && takes.get(i))
            {
                assertEquals(model.remove(), takeNext(queue));
            }
            assertEquals(model.size(), queue.size());
        }
        replaceFirst(queue, model);
        while (!model.isEmpty())
        {
            assertEquals(model.remove(), takeNext(queue));
        }
    }
}
