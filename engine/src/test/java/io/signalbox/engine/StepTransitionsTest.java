// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.Groups;
import io.signalbox.event.StepWriter;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Legal and illegal transitions of a rank's step. */
class StepTransitionsTest
{
    private final StepWriter plans = new StepWriter();
    private final LaunchedSteps launches = new LaunchedSteps(2, 2, false);
    private final StepsInFlight inFlight = new StepsInFlight(2, 1, 100, () -> 0);

    private void launch(final int epoch, final long step)
    {
        launches.launched(plans.begin(1, epoch, step, 0, 0).view());
    }

    @Test
    void shouldLaunchTheStepsOfARankUpwards()
    {
        launch(0, 1);
        launch(0, 2);
        launches.withdrawn(1, 2);
        launch(1, 5);
        assertEquals(5, launches.lastStep(1));
        assertEquals(0, launches.lastStep(0));
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
        assertEquals(5, launches.lastStep(1));
    }

    @Test
    void shouldAnswerAStepOnce()
    {
        assertNull(launches.find(1, 0, 0), "no step was given");
        launch(0, 1);
        final LaunchedSteps.Launch launch = launches.find(1, 0, 1);
        assertFalse(launch.isAnswered());
        launches.withdrawn(1, 1);
        assertTrue(launch.answer());
        assertFalse(launch.answer(), "the second caller");
        assertTrue(launch.isAnswered());
        assertTrue(launch.isWithdrawn());
    }

    /** A store to a volatile field would be a full fence in every step. */
    @Test
    void shouldForgetTheLaunchFaultOfTheFormerStepWithoutAFence()
    {
        launch(0, 1);
        final LaunchedSteps.Launch launch = launches.find(1, 0, 1);
        launch.refuseLaunch("planted");
        launch.unpin();
        assertEquals("planted", launches.find(1, 0, 1).launchFault());
        launch.unpin();
        for (long step = 1; step <= 3; step++)
        {
            launches.withdrawn(1, step);
            launch(0, step + 1);
        }
        assertSame(launch, launches.find(1, 0, 4), "the slots are used in turn");
        assertNull(launch.launchFault());
        assertEquals(List.of(), Arrays.stream(LaunchedSteps.Launch.class.getDeclaredFields())
            .filter(field -> Modifier.isVolatile(field.getModifiers())).toList());
    }

    @Test
    void shouldKnowTheOldestStepForWhichAResultIsOwed()
    {
        assertEquals(0, oldestOwed());
        launch(0, 1);
        launch(0, 2);
        assertEquals(1, oldestOwed());
        launches.find(1, 0, 1).answer();
        assertEquals(2, oldestOwed());
        launches.withdrawn(1, 2);
        assertEquals(0, oldestOwed());
        assertNull(launches.find(1, 1, 2), "another epoch");
        launch(0, 3);
        launch(0, 4);
        assertNull(launches.find(1, 0, 1), "three steps are kept");
        assertEquals(3, oldestOwed());
    }

    private long oldestOwed()
    {
        return launches.oldestOwed(1);
    }

    @Test
    void shouldNotForgetAStepThatIsOwedBehindOneThatWasWithdrawn()
    {
        launch(0, 1);
        launch(0, 2);
        launches.withdrawn(1, 2);
        launch(0, 3);
        assertNotNull(launches.find(1, 0, 1));
        assertEquals(1, oldestOwed());
        assertEquals("rank 1 was given step 4 while the backend owes it 2 results, from step 1 on",
            assertThrows(InvariantViolation.class, () -> launch(0, 4)).getMessage());
    }

    @Test
    void shouldNotFindAStepInASlotWhosePlanIsBeingWritten()
    {
        launch(0, 1);
        final LaunchedSteps.Launch launch = launches.find(1, 0, 1);
        launch.answer();
        assertFalse(launch.claim(), "a reader has it");
        launch.unpin();
        assertTrue(launch.claim());
        assertNull(launches.find(1, 0, 1), "the former step");
        assertNull(launches.find(1, 0, Long.MAX_VALUE >>> 17), "the largest step that a word has");
        assertNull(launches.find(1, 0, -1));
        assertEquals(0, oldestOwed());
    }

    @Test
    void shouldHaveOneStepOfARankInFlight()
    {
        follow(Groups.wakeAndStep(1, 0, 1));
        follow(Groups.wakeAndStep(0, 0, 1));
        assertEquals("rank 1 was given step 2 while 1 steps from step 1 on are in flight",
            assertThrows(InvariantViolation.class, () -> follow(Groups.wakeAndStep(1, 0, 2))).getMessage());
        follow(Groups.wakeAndCommit(1, 0, 1));
        follow(Groups.wakeAndStep(1, 0, 2));
        follow(Groups.wakeAndWithdrawn(1, 0, 2));
        follow(Groups.wakeAndStep(1, 1, 3));
    }

    private void follow(final GroupWriter group)
    {
        inFlight.onGroup(group.buffer(), 0, group.length());
    }
}
