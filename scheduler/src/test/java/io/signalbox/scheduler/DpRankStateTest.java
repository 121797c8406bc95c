// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.scheduler.DpRank.State;
import org.junit.jupiter.api.Test;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class DpRankStateTest
{
    private static final Map<State, Set<State>> LEGAL = new EnumMap<>(Map.of(
        State.IDLE, EnumSet.of(State.IN_FLIGHT, State.LOST),
        State.IN_FLIGHT, EnumSet.of(State.IDLE),
        State.LOST, EnumSet.of(State.IDLE)));

    private static DpRank in(final State state)
    {
        final DpRank rank = new DpRank(SchedulerConfig.builder().ranks(4).build(), 3, null);
        if (state != State.IDLE)
        {
            rank.state(state);
        }
        return rank;
    }

    @Test
    void shouldRefuseEveryIllegalTransitionByName()
    {
        for (final State from : State.values())
        {
            for (final State to : State.values())
            {
                final DpRank rank = in(from);
                if (LEGAL.get(from).contains(to))
                {
                    rank.state(to);
                    assertEquals(to, rank.state());
                }
                else
                {
                    assertEquals("rank 3 cannot go from " + from + " to " + to,
                        assertThrows(InvariantViolation.class, () -> rank.state(to)).getMessage());
                    assertEquals(from, rank.state());
                }
            }
        }
    }

    @Test
    void shouldBeIdleAfterAResetInEveryState()
    {
        for (final State state : State.values())
        {
            final DpRank rank = in(state);
            rank.reset();
            assertEquals(State.IDLE, rank.state());
        }
    }

    @Test
    void shouldRefuseToLaunchASecondStepAndToEndOneThatWasNotLaunched()
    {
        final DpRank rank = in(State.IDLE);
        assertThrows(InvariantViolation.class, rank::land);
        rank.launch();
        assertThrows(InvariantViolation.class, rank::launch);
        rank.land();
        rank.lose();
        assertThrows(InvariantViolation.class, rank::launch);
    }
}
