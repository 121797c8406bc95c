// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.batch.Request.Stage;
import org.junit.jupiter.api.Test;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class RequestStageTest
{
    private static final Map<Stage, Set<Stage>> LEGAL = new EnumMap<>(Map.of(
        Stage.QUEUED, EnumSet.of(Stage.PLACED, Stage.FINISHED),
        Stage.PLACED, EnumSet.of(Stage.QUEUED, Stage.RUNNING, Stage.FINISHED),
        Stage.RUNNING, EnumSet.of(Stage.PLACED, Stage.FINISHED),
        Stage.FINISHED, EnumSet.noneOf(Stage.class)));

    private static Request in(final Stage stage)
    {
        final Request request = new Request(null).reset(7, 4, 1, -1);
        if (stage == Stage.RUNNING)
        {
            request.stage(Stage.PLACED);
        }
        if (stage != Stage.QUEUED)
        {
            request.stage(stage);
        }
        return request;
    }

    @Test
    void shouldRefuseEveryIllegalTransitionByName()
    {
        for (final Stage from : Stage.values())
        {
            for (final Stage to : Stage.values())
            {
                final Request request = in(from);
                if (LEGAL.get(from).contains(to))
                {
                    request.stage(to);
                    assertEquals(to, request.stage());
                }
                else
                {
                    assertEquals("request 7 cannot go from " + from + " to " + to,
                        assertThrows(InvariantViolation.class, () -> request.stage(to)).getMessage());
                    assertEquals(from, request.stage());
                }
            }
        }
    }

    @Test
    void shouldBeginAnewWhenItIsReused()
    {
        assertEquals(Stage.QUEUED, in(Stage.FINISHED).reset(8, 4, 1, -1).stage());
    }
}
