// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.Alarm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AlarmTest
{
    private static final int ROUNDS = 20_000;

    private final AtomicLong moment = new AtomicLong(Alarm.NEVER);
    private final Alarm alarm = new Alarm(EngineConfig.SYSTEM_CLOCK, true);

    private Thread sleeper(final Runnable work)
    {
        final Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void awaitSleep()
    {
        while (!alarm.sleepsPast(Alarm.NEVER - 1))
        {
            Thread.onSpinWait();
        }
    }

    /** Each moment is announced while the sleeper goes to sleep, sleeps, or is awake: none may be missed. */
    @Test
    void shouldMissNoMoment()
    {
        final AtomicInteger seen = new AtomicInteger();
        sleeper(() ->
        {
            while (seen.get() < ROUNDS)
            {
                if (moment.compareAndSet(0, Alarm.NEVER))
                {
                    seen.incrementAndGet();
                }
                alarm.sleep(moment::get);
            }
        });
        for (int round = 1; round <= ROUNDS; round++)
        {
            moment.set(0);
            alarm.dueAt(0);
            while (seen.get() < round)
            {
                Thread.onSpinWait();
            }
        }
        assertEquals(ROUNDS, seen.get());
    }

    @Test
    void shouldWakeForNothingWhileNothingMatters() throws Exception
    {
        final AtomicInteger looks = new AtomicInteger();
        final Thread sleeper = sleeper(() -> alarm.sleep(() ->
        {
            looks.incrementAndGet();
            return Alarm.NEVER;
        }));
        awaitSleep();
        while (sleeper.getState() != Thread.State.WAITING)
        {
            Thread.onSpinWait();
        }
        assertEquals(2, looks.get(), "before it announces its sleep, and after");
        alarm.dueAt(Alarm.NEVER);
        assertTrue(sleeper.isAlive());
        alarm.wake();
        sleeper.join();
        assertFalse(alarm.sleepsPast(0));
    }

    @Test
    void shouldSleepUntilTheMoment() throws Exception
    {
        final long due = System.nanoTime() + 2_000_000;
        final Thread sleeper = sleeper(() ->
        {
            while (System.nanoTime() < due)
            {
                alarm.sleep(() -> due);
            }
        });
        sleeper.join();
        assertTrue(System.nanoTime() >= due);
    }

    @Test
    void shouldNotSleepForAMomentThatHasPassed()
    {
        alarm.sleep(() -> System.nanoTime() - 1);
        alarm.sleep(() -> Long.MIN_VALUE / 2);
        assertFalse(alarm.sleepsPast(0));
    }
}
