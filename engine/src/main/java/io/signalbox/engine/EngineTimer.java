// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.Alarm;
import io.signalbox.engine.step.DeadlineWatch;
import io.signalbox.event.InputWriter;

/**
 * Turns the passing of time into inputs: a {@code Tick} when a deadline may have passed, a {@code StepTimedOut} for a
 * step that has been in flight for too long. It has no thread; the owner calls {@link #poll} at {@link #nextNanos}.
 */
final class EngineTimer
{
    private final Engine engine;
    private final DeadlineWatch deadlines;
    private final StepsInFlight steps;
    private final InputWriter writer = new InputWriter();

    /** @param steps {@code null} if steps have no time limit. */
    EngineTimer(final Engine engine, final DeadlineWatch deadlines, final StepsInFlight steps)
    {
        this.engine = engine;
        this.deadlines = deadlines;
        this.steps = steps;
    }

    /** When {@link #poll} has something to offer next, as things are; {@link Alarm#NEVER} if nothing. */
    long nextNanos()
    {
        return Math.min(deadlines.nextTickNanos(), steps == null ? Alarm.NEVER : steps.nextOverdueNanos());
    }

    /**
     * Offers what is due.
     *
     * @param nowNanos on the engine's clock.
     * @throws IllegalStateException when the engine has failed or is closed.
     */
    void poll(final long nowNanos)
    {
        if (deadlines.takeDue(nowNanos))
        {
            writer.tick().timeNanos(nowNanos);
            engine.offer(writer.buffer(), 0, writer.length(), null);
        }
        for (int rank = 0; steps != null && rank < steps.ranks(); rank++)
        {
            if (steps.takeOverdue(rank, nowNanos, writer))
            {
                engine.offer(writer.buffer(), 0, writer.length(), null);
            }
        }
    }
}
