// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicIntegerArray;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

@Timeout(180)
class WorkTeamTest
{
    /** Each task runs once, on a worker that runs no other task meanwhile, and is done when the stage ends. */
    @Test
    void shouldRunEveryTaskOnce()
    {
        try (WorkTeam team = new WorkTeam(4, "team"))
        {
            for (int stage = 0; stage < 3000; stage++)
            {
                final int tasks = stage % 9;
                final AtomicIntegerArray runs = new AtomicIntegerArray(9);
                final AtomicIntegerArray busy = new AtomicIntegerArray(4);
                team.run(tasks, (task, worker) ->
                {
                    assertEquals(1, busy.incrementAndGet(worker));
                    runs.incrementAndGet(task);
                    busy.decrementAndGet(worker);
                });
                for (int task = 0; task < 9; task++)
                {
                    assertEquals(task < tasks ? 1 : 0, runs.get(task));
                }
            }
        }
    }

    @Test
    void shouldThrowWhatATaskThrew()
    {
        try (WorkTeam team = new WorkTeam(3, "team"))
        {
            assertThrows(ArithmeticException.class, () -> team.run(20, (task, worker) ->
            {
                if (task == 13)
                {
                    throw new ArithmeticException("planted");
                }
            }));
            assertThrows(OutOfMemoryError.class, () -> team.run(1, (task, worker) ->
            {
                throw new OutOfMemoryError("planted");
            }));
            team.run(20, (task, worker) -> Thread.onSpinWait());
        }
    }
}
