// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.TestStrength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Every order in which two threads can use a {@link BatchRing}, up to its end. A call of the ring is atomic except for its
 * waits, so an order is a list of calls. A waiting call continues when another call wakes it. In every reached state at
 * least one thread can continue, and both threads end.
 */
@Tag("threads")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BatchRingInterleavingsTest
{
    private static final int FILLS = 0;
    private static final int EMPTIES = 1;

    /** One of the two threads, which makes one call at a time. */
    private abstract static class Caller
    {
        private final SynchronousQueue<Boolean> turns = new SynchronousQueue<>();
        private final Thread thread = new Thread(this::run);
        private volatile boolean begun;
        private volatile boolean calls;
        private volatile Throwable failure;
        private volatile int done;

        private void begin()
        {
            thread.setDaemon(true);
            thread.start();
        }

        private void run()
        {
            try
            {
                while (turns.take())
                {
                    begun = true;
                    call();
                    done++;
                    calls = false;
                }
            }
            catch (final Throwable e)
            {
                failure = e;
                calls = false;
            }
        }

        abstract void call();

        abstract boolean isOver();

        /** Returns when the call has begun. */
        private void step() throws InterruptedException
        {
            begun = false;
            calls = true;
            turns.put(true);
            // From here on only the ring waits.
            while (!begun)
            {
                Thread.yield();
            }
        }

        private boolean isStable()
        {
            return !calls || thread.getState() == Thread.State.WAITING;
        }

        private void end() throws InterruptedException
        {
            turns.put(false);
            thread.join();
        }
    }

    /** A ring and its two threads after some calls. */
    private static final class Run
    {
        private final int total;
        private final BatchRing ring = new BatchRing();
        private final Deque<GroupBatch> handedOn = new ArrayDeque<>();
        private final List<String> faults = new ArrayList<>();
        private final Caller[] callers = {new Caller()
        {
            private GroupBatch batch;
            private int count;

            @Override
            void call()
            {
                if (batch == null)
                {
                    batch = ring.takeEmpty();
                    return;
                }
                if (++count == total)
                {
                    batch.end();
                }
                handedOn.add(batch);
                final GroupBatch filled = batch;
                batch = null;
                ring.handOn(filled);
            }

            @Override
            boolean isOver()
            {
                return count == total;
            }
        }, new Caller()
        {
            private GroupBatch batch;
            private boolean last;

            @Override
            void call()
            {
                if (batch == null)
                {
                    batch = ring.takeFilled();
                    if (batch != handedOn.remove())
                    {
                        faults.add("batches came in another order");
                    }
                    last = batch.isLast();
                    return;
                }
                final GroupBatch emptied = batch;
                batch = null;
                ring.giveBack(emptied);
            }

            @Override
            boolean isOver()
            {
                return last && batch == null;
            }
        }};

        /** @param total number of batches. */
        private Run(final int total, final List<Integer> calls) throws InterruptedException
        {
            this.total = total;
            for (final Caller caller : callers)
            {
                caller.begin();
            }
            for (final int caller : calls)
            {
                call(caller);
            }
        }

        private void call(final int caller) throws InterruptedException
        {
            callers[caller].step();
            while (!callers[FILLS].isStable() || !callers[EMPTIES].isStable())
            {
                Thread.yield();
            }
        }

        private boolean mayCall(final int caller)
        {
            return !callers[caller].calls && !callers[caller].isOver();
        }

        private List<Object> state()
        {
            return List.of(callers[FILLS].done, callers[EMPTIES].done, callers[FILLS].calls, callers[EMPTIES].calls);
        }

        /** The threads end when the ring has handed on all batches, or earlier. */
        private void finish() throws InterruptedException
        {
            while (mayCall(FILLS) || mayCall(EMPTIES))
            {
                call(mayCall(FILLS) ? FILLS : EMPTIES);
            }
            for (final Caller caller : callers)
            {
                assertNull(caller.failure);
                assertFalse(caller.calls, "it waits for ever");
                assertTrue(caller.isOver());
                caller.end();
            }
            assertEquals(List.of(), faults);
        }
    }

    /** From an empty ring: the thread that empties waits. */
    @Test
    void shouldEndInEachOrderOfAFewBatches() throws InterruptedException
    {
        assertTrue(explore(6, List.of()) > 50);
    }

    /** From a ring that is nearly full: the thread that fills waits. */
    @Test
    void shouldEndInEachOrderOfMoreBatchesThanTheRingHas() throws InterruptedException
    {
        assertTrue(explore(BatchRing.BATCHES + 1, Collections.nCopies(2 * BatchRing.BATCHES - 2, FILLS)) > 50);
    }

    @Test
    void shouldEndInEachOrderOfTheWholeRing() throws InterruptedException
    {
        assumeTrue(TestStrength.isFull(), "runs with -Pfull");
        assertTrue(explore(BatchRing.BATCHES + BatchRing.BATCHES / 4 + 1, List.of()) > 500);
    }

    /** Returns the number of states that were reached after the first calls. */
    private static int explore(final int total, final List<Integer> first) throws InterruptedException
    {
        final Set<List<Object>> seen = new HashSet<>();
        final Deque<List<Integer>> open = new ArrayDeque<>(List.of(first));
        while (!open.isEmpty())
        {
            final List<Integer> calls = open.remove();
            final Run run = new Run(total, calls);
            if (seen.add(run.state()))
            {
                for (int caller = FILLS; caller <= EMPTIES; caller++)
                {
                    if (run.mayCall(caller))
                    {
                        final List<Integer> next = new ArrayList<>(calls);
                        next.add(caller);
                        open.add(next);
                    }
                }
            }
            run.finish();
        }
        return seen.size();
    }
}
