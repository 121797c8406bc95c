// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Legal and illegal transitions of the steps of a rank. */
class DpRankStateTest
{
    private static DpRank rank(final int depth)
    {
        return new DpRank(
            SchedulerConfig.builder().ranks(4).depth(depth).build(), 3, null, (request, preempted) -> { });
    }

    private static void launch(final DpRank rank)
    {
        rank.planNothing(rank.nextStep());
        rank.launch();
    }

    @Test
    void shouldTakeOneStepAtATimeAtDepthOne()
    {
        final DpRank rank = rank(1);
        assertThrows(InvariantViolation.class, rank::land);
        launch(rank);
        assertFalse(rank.hasSlot());
        assertFalse(rank.open.launched(1), "a launch makes no room at depth 1");
        assertThrows(InvariantViolation.class, () -> launch(rank));
        rank.land();
        assertTrue(rank.hasSlot());
        assertEquals(2, rank.nextStep());
    }

    @Test
    void shouldPlanBehindALaunchedStepOnly()
    {
        final DpRank rank = rank(3);
        launch(rank);
        assertFalse(rank.hasSlot());
        assertFalse(rank.open.launched(7), "another step");
        assertTrue(rank.open.launched(1));
        assertFalse(rank.open.launched(1), "for the second time");
        launch(rank);
        rank.open.launched(2);
        launch(rank);
        assertFalse(rank.open.launched(3), "three are in flight");
        assertFalse(rank.hasSlot());
        rank.land();
        assertTrue(rank.hasSlot());
        assertEquals(2, rank.open.oldest().step());
        assertEquals(3, rank.open.newest().step());
    }

    @Test
    void shouldWithdrawAStepWithAllLaterOnesAndNeverUseTheirNumbersAgain()
    {
        final DpRank rank = rank(4);
        for (int step = 1; step <= 4; step++)
        {
            launch(rank);
            rank.open.launched(step);
        }
        rank.withdraw(3);
        assertEquals(2, rank.open.size());
        assertEquals(2, rank.open.newest().step());
        assertFalse(rank.hasSlot(), "nothing is planned behind a step that may be as faulty as the next one was");
        rank.land();
        assertTrue(rank.hasSlot(), "step 2 was launched before step 3 was planned");
        assertEquals(5, rank.nextStep());
        assertFalse(rank.open.isOpen(3));
        assertTrue(rank.open.isOpen(2));
    }

    @Test
    void shouldNotBeLostWithAStepInFlightNorTwice()
    {
        final DpRank rank = rank(1);
        launch(rank);
        assertEquals("rank 3 is lost with 1 steps in flight",
            assertThrows(InvariantViolation.class, rank::lose).getMessage());
        rank.withdraw(1);
        rank.lose();
        assertFalse(rank.hasSlot());
        assertEquals("rank 3 is LOST and cannot become LOST",
            assertThrows(InvariantViolation.class, rank::lose).getMessage());
        rank.reset(1);
        assertTrue(rank.hasSlot());
    }

    @Test
    void shouldBeGivenUpOnceAfterItWasLostAndReturnByAReset()
    {
        final DpRank rank = rank(1);
        assertEquals("rank 3 is ACTIVE and cannot become GIVEN_UP",
            assertThrows(InvariantViolation.class, rank::giveUp).getMessage());
        rank.lose();
        rank.giveUp();
        assertFalse(rank.isExpected());
        assertThrows(InvariantViolation.class, rank::giveUp);
        assertThrows(InvariantViolation.class, rank::lose);
        rank.reset(1);
        assertFalse(rank.isLost());
        assertTrue(rank.isExpected());
    }
}
