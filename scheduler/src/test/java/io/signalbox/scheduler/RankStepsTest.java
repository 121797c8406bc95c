// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RankStepsTest
{
    private static final int RANKS = 5;
    private static final int ROUNDS = 30;

    private static SchedulerHarness harness(final boolean lockStep, final int groupBytes)
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(RANKS).blockSizeTokens(16).kvBlocks(65).stepTokens(64)
            .lockStep(lockStep).build();
        return new SchedulerHarness(
            config, new Scheduler(config, config.router().router(RANKS, true), groupBytes));
    }

    /** Tokens that each request has emitted after the rounds, with one request per rank. */
    private static int[] progress(final SchedulerHarness harness)
    {
        for (int rank = 0; rank < RANKS; rank++)
        {
            harness.submit(rank + 1, rank, 0, 20, 1000, SchedulerHarness.Options.rank(rank));
        }
        harness.wake();
        // If the bound is small, placements fill the group of the first wake.
        harness.wake();
        for (int round = 0; round < ROUNDS; round++)
        {
            for (final int rank : List.copyOf(harness.inFlight.keySet()))
            {
                harness.complete(rank);
            }
        }
        final int[] tokens = new int[RANKS];
        harness.emitted.forEach((id, emitted) -> tokens[(int)(id - 1)] = emitted.size());
        return tokens;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFavourNoRankWhereTheGroupHasNoRoomForAll(final boolean lockStep)
    {
        final int[] tokens = progress(harness(lockStep, 240));
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (final int count : tokens)
        {
            least = Math.min(least, count);
            most = Math.max(most, count);
        }
        assertTrue(least > 0 && most - least <= 2, Arrays.toString(tokens));
        assertTrue(!lockStep || most < ROUNDS, "the bound must leave some out: " + Arrays.toString(tokens));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGiveEveryRankItsStepWhereTheGroupHasRoom(final boolean lockStep)
    {
        for (final int tokens : progress(harness(lockStep, 1 << 20)))
        {
            assertEquals(ROUNDS, tokens);
        }
    }

    private static DpRank rank(final SchedulerConfig config, final int rank)
    {
        return new DpRank(config, rank, null, (request, preempted) -> { });
    }

    @Test
    void shouldPutTheRankThatIsFirstIntoTheDigest()
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).kvBlocks(65).build();
        final RankSteps steps = new OwnStep(new DpRank[] {rank(config, 0), rank(config, 1)}, 0);
        final long before = steps.digest(7);
        steps.first(1);
        assertNotEquals(before, steps.digest(7));
        steps.first(0);
        assertEquals(before, steps.digest(7));
    }
}
