// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A fault that hits several ranks at one instant, as a node or a switch that goes down does, with four ranks. */
class SharedFaultsTest
{
    private static final int RANKS = 4;
    private static final int RUNS = 60;

    /** The fault of each rank that has a step in flight. */
    enum Blow
    {
        ALL_STEPS_FAIL,
        ALL_RANKS_LOST,
        ALL_STEPS_TIME_OUT,
        HALF_FAIL_HALF_LOST,
        ALL_BUT_ONE_LOST
    }

    private static final class Run
    {
        private final SplittableRandom random;
        private final DepthRig rig;
        private boolean drained;
        private int blows;

        private Run(final long seed)
        {
            random = new SplittableRandom(seed);
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

        private void steps(final int count)
        {
            for (int i = 0; i < count; i++)
            {
                step();
            }
        }

        /** Nothing happens between the faults of the ranks. */
        private void strike(final Blow blow)
        {
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

        private void comeBack()
        {
            switch (random.nextInt(3))
            {
                case 0 -> rig.reset(random.nextBoolean());
                case 1 ->
                {
                    for (int rank = 0; rank < RANKS; rank++)
                    {
                        rig.resetRank(rank);
                        steps(random.nextInt(4));
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

        private void play(final Blow blow)
        {
            final int drainAt = random.nextInt(6);
            for (int round = 0; round < 3; round++)
            {
                steps(20 + random.nextInt(60));
                drain(drainAt == 2 * round);
                strike(blow);
                drain(drainAt == 2 * round + 1);
                steps(random.nextInt(10));
                comeBack();
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
    @ParameterizedTest
    @EnumSource
    void shouldEndEveryRequestAlsoWhileDraining(final Blow blow)
    {
        int blows = 0;
        int live = 0;
        for (int seed = 0; seed < RUNS; seed++)
        {
            final Run run = new Run(seed);
            run.play(blow);
            blows += run.blows;
            live += run.rig.outputs().live().size();
        }
        assertTrue(blows > 3 * RUNS, blows + " faults in " + RUNS + " runs");
        assertEquals(0, live);
    }

    /** Requests that no rank is left for fail; those that come when a rank is back are served. */
    @Test
    void shouldServeAgainAfterEveryRankWasLostAndOneReturned()
    {
        final Run run = new Run(3);
        for (int i = 0; i < 12; i++)
        {
            run.rig.submit(10, 6, -1);
        }
        run.rig.wake();
        assertTrue(Arrays.stream(run.rig.devices).allMatch(device -> device.inFlight() > 0));
        run.strike(Blow.ALL_RANKS_LOST);
        assertTrue(Arrays.stream(run.rig.devices).noneMatch(device -> device.inFlight() > 0));
        run.rig.resetRank(2);
        final long later = run.rig.nextId();
        run.rig.submit(10, 6, -1);
        run.rig.run();
        assertEquals(6, run.rig.emitted(later).size());
    }
}
