// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import io.signalbox.InvariantViolation;

/**
 * The stages of an engine, which only move forward. A failure is not a stage: an engine that has failed runs until it is
 * closed, and refuses inputs. Thread-safe.
 */
public final class EngineLife
{
    /** A stage. */
    public enum Stage
    {
        /** The backend and the threads are being started. */
        STARTING,
        /** Inputs are accepted. */
        RUNNING,
        /** Inputs are refused; those that were accepted are processed, and no step is launched. */
        CLOSING,
        /** No input is processed. */
        CLOSED
    }

    private volatile Stage stage = Stage.STARTING;

    public Stage stage()
    {
        return stage;
    }

    public boolean isClosed()
    {
        return stage == Stage.CLOSED;
    }

    /** Whether inputs are refused because the engine ends or has ended. */
    public boolean isEnding()
    {
        return stage == Stage.CLOSING || stage == Stage.CLOSED;
    }

    /** @throws InvariantViolation if the stage does not follow the current one. */
    public synchronized void moveTo(final Stage next)
    {
        if (!follows(next))
        {
            throw new InvariantViolation("an engine cannot go from " + stage + " to " + next);
        }
        stage = next;
    }

    /** Moves to CLOSING; returns false if another caller did so before. */
    public synchronized boolean beginClosing()
    {
        if (isEnding())
        {
            return false;
        }
        moveTo(Stage.CLOSING);
        return true;
    }

    /** A start that fails closes the engine at once. */
    private boolean follows(final Stage next)
    {
        return switch (next)
        {
            case STARTING -> false;
            case RUNNING -> stage == Stage.STARTING;
            case CLOSING -> stage == Stage.RUNNING;
            case CLOSED -> stage == Stage.STARTING || stage == Stage.CLOSING;
        };
    }
}
