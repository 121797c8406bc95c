// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.Groups;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepWriter;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Legal and illegal transitions of a rank's step. */
class StepTransitionsTest
{
    private final StepWriter plans = new StepWriter();
    private final LaunchedSteps launches = new LaunchedSteps(2);
    private final StepsInFlight inFlight = new StepsInFlight(2, 100, () -> 0);
    private final InputWriter input = new InputWriter();

    private void launch(final int epoch, final long step)
    {
        launches.launched(plans.begin(1, epoch, step, 0, 0).view());
    }

    @Test
    void shouldLaunchTheStepsOfARankUpwards()
    {
        launch(0, 1);
        launch(0, 2);
        launch(1, 5);
        assertEquals(5, launches.of(1).step());
        assertEquals(0, launches.of(0).step());
    }

    @Test
    void shouldNotLaunchAStepAgainNorAFormerOne()
    {
        launch(1, 5);
        assertEquals("rank 1 was given step 5 of epoch 1 after step 5 of epoch 1; steps of a rank count upwards, and so " +
            "do epochs", assertThrows(InvariantViolation.class, () -> launch(1, 5)).getMessage());
        assertThrows(InvariantViolation.class, () -> launch(1, 4));
        assertThrows(InvariantViolation.class, () -> launch(2, 5));
        assertThrows(InvariantViolation.class, () -> launch(0, 6));
        assertEquals(5, launches.of(1).step());
    }

    @Test
    void shouldAnswerOnlyAStepThatWasLaunched()
    {
        final LaunchedSteps.Launch launch = launches.of(1);
        assertEquals("step 1 was answered, but the last step that its rank was given is 0",
            assertThrows(InvariantViolation.class, () -> launch.answered(1)).getMessage());
        launch(0, 1);
        assertFalse(launch.isAnswered(1));
        launch.answered(1);
        assertTrue(launch.isAnswered(1));
        assertThrows(InvariantViolation.class, () -> launch.answered(2));
        assertThrows(InvariantViolation.class, () -> launch.answered(0));
    }

    @Test
    void shouldHaveOneStepOfARankInFlight()
    {
        follow(Groups.wakeAndStep(1, 0, 1));
        follow(Groups.wakeAndStep(0, 0, 1));
        assertEquals("rank 1 was given step 2 while step 1 is in flight",
            assertThrows(InvariantViolation.class, () -> follow(Groups.wakeAndStep(1, 0, 2))).getMessage());
        input.d2hComplete().timeNanos(1).step(1).epoch(0).rank(1).sampledCount(0);
        follow(Groups.of(input));
        follow(Groups.wakeAndStep(1, 0, 2));
        input.backendReset().timeNanos(2).newEpoch(1);
        follow(Groups.of(input));
        follow(Groups.wakeAndStep(1, 1, 3));
    }

    private void follow(final GroupWriter group)
    {
        inFlight.onGroup(group.buffer(), 0, group.length());
    }
}
