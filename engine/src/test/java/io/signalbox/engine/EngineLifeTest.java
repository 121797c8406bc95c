// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.engine.ring.EngineLife;
import io.signalbox.engine.ring.EngineLife.Stage;
import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class EngineLifeTest
{
    private static final Map<Stage, List<Stage>> WAYS = Map.of(
        Stage.STARTING, List.of(),
        Stage.RUNNING, List.of(Stage.RUNNING),
        Stage.CLOSING, List.of(Stage.RUNNING, Stage.CLOSING),
        Stage.CLOSED, List.of(Stage.RUNNING, Stage.CLOSING, Stage.CLOSED));
    private static final Map<Stage, Set<Stage>> LEGAL = Map.of(
        Stage.STARTING, EnumSet.of(Stage.RUNNING, Stage.CLOSED),
        Stage.RUNNING, EnumSet.of(Stage.CLOSING),
        Stage.CLOSING, EnumSet.of(Stage.CLOSED),
        Stage.CLOSED, EnumSet.noneOf(Stage.class));

    private static EngineLife at(final Stage stage)
    {
        final EngineLife life = new EngineLife();
        WAYS.get(stage).forEach(life::moveTo);
        assertEquals(stage, life.stage());
        return life;
    }

    @Test
    void shouldMoveForwardOnlyAndNameAnyOtherMove()
    {
        for (final Stage from : Stage.values())
        {
            for (final Stage to : Stage.values())
            {
                final EngineLife life = at(from);
                if (LEGAL.get(from).contains(to))
                {
                    life.moveTo(to);
                    assertEquals(to, life.stage());
                }
                else
                {
                    assertEquals("an engine cannot go from " + from + " to " + to,
                        assertThrows(InvariantViolation.class, () -> life.moveTo(to)).getMessage());
                    assertEquals(from, life.stage());
                }
            }
        }
    }

    @Test
    void shouldCloseOnce()
    {
        final EngineLife life = at(Stage.RUNNING);
        assertFalse(life.isEnding());
        assertTrue(life.beginClosing());
        assertFalse(life.beginClosing());
        assertTrue(life.isEnding());
        assertFalse(at(Stage.CLOSED).beginClosing());
        assertThrows(InvariantViolation.class, () -> at(Stage.STARTING).beginClosing());
    }
}
