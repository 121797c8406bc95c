// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.Digits;
import io.signalbox.Tries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A fault that hits several ranks at one instant, as a node or a switch that goes down does, with four ranks. */
class SharedFaultsTest
{
    private static final int RANKS = 4;
    private static final int ROUNDS = 3;

    /** The fault of each rank that has a step in flight. */
    enum Blow
    {
        ALL_STEPS_FAIL,
        ALL_RANKS_LOST,
        ALL_STEPS_TIME_OUT,
        HALF_FAIL_HALF_LOST,
        ALL_BUT_ONE_LOST
    }

    /** What happens before a fault, how it strikes, what happens after it, and how the ranks come back. */
    record Round(List<Long> before, long strike, List<Long> after, long back)
    {
    }

    private static final class Run
    {
        /** The choices of the present action. */
        private Random random;
        private final DepthRig rig;
        private boolean drained;
        private int blows;

        private Run(final long configuration)
        {
            random = new Digits(configuration);
            rig = new DepthRig(SchedulerConfig.builder().ranks(RANKS).blockSizeTokens(4).kvBlocks(16).stepTokens(12)
                .maxRunning(4).router("round-robin").lockStep(random.nextInt(3) == 0).depth(1 + random.nextInt(4))
                .draftTokens(random.nextInt(3)).maxFailures(random.nextInt(4)).backOffNanos(random.nextInt(3) * 10)
                .capture(DepthRig.SHAPE).digestInterval(3).build(), 70);
        }

        private void step()
        {
            final int rank = random.nextInt(RANKS);
            switch (random.nextInt(8))
            {
                case 0 ->
                {
                    if (!drained)
                    {
                        rig.submit(1 + random.nextInt(20), random.nextInt(12), random.nextInt(3) == 0 ? 5 : -1);
                    }
                }
                case 1 -> rig.wake();
                case 2, 3, 4 ->
                {
                    if (rig.devices[rank].canLaunch())
                    {
                        rig.launch(rank);
                    }
                }
                default ->
                {
                    if (rig.devices[rank].canLand())
                    {
                        rig.complete(rank);
                    }
                }
            }
        }

        private void steps(final List<Long> actions)
        {
            for (final long action : actions)
            {
                random = new Digits(action);
                step();
            }
        }

        /** Nothing happens between the faults of the ranks. */
        private void strike(final Blow blow, final long choices)
        {
            random = new Digits(choices);
            final boolean newest = random.nextBoolean();
            for (int rank = 0; rank < RANKS; rank++)
            {
                final int inFlight = rig.devices[rank].inFlight();
                if (inFlight == 0 || blow == Blow.ALL_BUT_ONE_LOST && rank == RANKS - 1)
                {
                    continue;
                }
                final ModelDevice.Step step = rig.devices[rank].inFlight(newest ? inFlight - 1 : 0);
                blows++;
                switch (blow)
                {
                    case ALL_STEPS_FAIL -> rig.fail(rank, step);
                    case ALL_STEPS_TIME_OUT -> rig.timeOut(rank, step);
                    case HALF_FAIL_HALF_LOST ->
                    {
                        if (rank % 2 == 0)
                        {
                            rig.fail(rank, step);
                        }
                        else
                        {
                            rig.lose(rank, step);
                        }
                    }
                    default -> rig.lose(rank, step);
                }
            }
        }

        private void comeBack(final long choices)
        {
            random = new Digits(choices);
            switch (random.nextInt(3))
            {
                case 0 -> rig.reset(random.nextBoolean());
                case 1 ->
                {
                    for (int rank = 0; rank < RANKS; rank++)
                    {
                        rig.resetRank(rank);
                        for (int steps = random.nextInt(4); steps > 0; steps--)
                        {
                            step();
                        }
                    }
                }
                default ->
                {
                    for (int rank = RANKS - 1; rank >= 0; rank--)
                    {
                        if (rig.isLost(rank))
                        {
                            rig.resetRank(rank);
                        }
                    }
                }
            }
        }

        private void play(final Blow blow, final List<Round> rounds, final int drainAt)
        {
            for (int i = 0; i < rounds.size(); i++)
            {
                final Round round = rounds.get(i);
                steps(round.before());
                drain(drainAt == 2 * i);
                strike(blow, round.strike());
                drain(drainAt == 2 * i + 1);
                steps(round.after());
                comeBack(round.back());
            }
            rig.run();
        }

        private void drain(final boolean now)
        {
            if (now)
            {
                rig.stopAdmission();
                drained = true;
            }
        }
    }

    /** The rig checks blocks, rows, tokens and that nothing is left. */
    @Property
    @Tries(reduced = 200, full = 30_000)
    void shouldEndEveryRequestAlsoWhileDraining(@ForAll final Blow blow, @ForAll("numbers") final long configuration,
        @ForAll("rounds") final List<Round> rounds, @ForAll @IntRange(max = 2 * ROUNDS - 1) final int drainAt)
    {
        final Run run = new Run(configuration);
        run.play(blow, rounds, drainAt);
        assertEquals(0, run.rig.outputs().live().size());
        Statistics.label("several faults").collect(run.blows > ROUNDS)
            .coverage(coverage -> coverage.check(true).percentage(percentage -> percentage > 30));
    }

    @Provide
    Arbitrary<Long> numbers()
    {
        return Digits.numbers();
    }

    @Provide
    Arbitrary<List<Round>> rounds()
    {
        return Combinators.combine(Digits.lists(120), Digits.numbers(), Digits.lists(10), Digits.numbers()).as(Round::new)
            .list().ofMinSize(1).ofMaxSize(ROUNDS);
    }

    /** Requests that no rank is left for fail; those that come when a rank is back are served. */
    @Test
    void shouldServeAgainAfterEveryRankWasLostAndOneReturned()
    {
        final Run run = new Run(0);
        for (int i = 0; i < 12; i++)
        {
            run.rig.submit(10, 6, -1);
        }
        run.rig.wake();
        assertTrue(Arrays.stream(run.rig.devices).allMatch(device -> device.inFlight() > 0));
        run.strike(Blow.ALL_RANKS_LOST, 0);
        assertTrue(Arrays.stream(run.rig.devices).noneMatch(device -> device.inFlight() > 0));
        run.rig.resetRank(2);
        final long later = run.rig.nextId();
        run.rig.submit(10, 6, -1);
        run.rig.run();
        assertEquals(6, run.rig.emitted(later).size());
    }
}
