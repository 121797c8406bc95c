// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.experts.ModelShape;
import io.signalbox.router.InvertedTies;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The checks can fail: they find planted defects at the right place. */
class PlantedDefectTest
{
    private static final SchedulerConfig CONFIG = SchedulerConfig.builder().ranks(1).blockSizeTokens(16).kvBlocks(17)
        .stepTokens(64).capture(new ModelShape(2, 64, 2)).build();

    @Test
    void shouldFindRowsOnePositionOff()
    {
        final SchedulerHarness harness = new SchedulerHarness(CONFIG);
        harness.submit(1, 1, 0, 20, 2);
        harness.wake();
        final SchedulerHarness.Step step = harness.inFlight.remove(0);
        harness.complete(step, (token, shape, rows, offset) ->
            FirstRowOracle.rows(step).write(token + 1, shape, rows, offset));
        harness.run();
        final var differences = harness.oracle().differences(harness.scheduler, 1, 21);
        assertEquals(20, differences.size(), "every row of the shifted step, and only those");
        assertTrue(differences.get(0).startsWith("row 0 "), differences.get(0));
    }

    /** The scheduler skips rows that are marked missing: it computes the tokens and stores no row. */
    @Test
    void shouldFindASchedulerThatStoredNoRows()
    {
        final SchedulerHarness harness = new SchedulerHarness(CONFIG);
        harness.submit(1, 1, 0, 20, 1);
        harness.wake();
        harness.complete(harness.inFlight.remove(0), (token, shape, rows, offset) ->
            rows.setMemory(offset, shape.rowBytes(), (byte)-1));
        final SchedulerHarness.Ended end = harness.ended.get(0);
        assertEquals("LENGTH", end.reason());
        assertEquals(List.of("0 rows captured, but 20 were computed so", "20 rows missing, but 0 were computed so"),
            harness.oracle().differences(end));
        final var differences = harness.oracle().differences(harness.scheduler, 1, 20);
        assertEquals(20, differences.size());
        assertTrue(differences.get(7).endsWith(" is -1"), "not stored is missing, not expert 0: " + differences.get(7));
    }

    @Test
    void shouldFindRowsThatAreLeftOutOfTheCount()
    {
        final SchedulerHarness harness = new SchedulerHarness(CONFIG);
        harness.submit(1, 1, 1, 40, 2);
        harness.run();
        harness.submit(2, 1, 1, 40, 2);
        harness.run();
        final SchedulerHarness.Ended end = harness.ended.get(1);
        assertEquals(List.of(), harness.oracle().differences(end));
        assertEquals(List.of("22 rows captured, but 25 were computed so"), harness.oracle().differences(
            new SchedulerHarness.Ended(2, end.reason(), 2, end.captured() - 3, end.inherited(), 0, end.digest())));
        assertEquals(List.of("41 rows captured, but 25 were computed so", "0 rows inherited, but 16 were computed so"),
            harness.oracle().differences(new SchedulerHarness.Ended(2, end.reason(), 2, 41, 0, 0, end.digest())));
        assertEquals(List.of("1 rows missing, but 0 were computed so"), harness.oracle().differences(
            new SchedulerHarness.Ended(2, end.reason(), 2, end.captured(), end.inherited(), 1, end.digest())));
    }

    @Test
    void shouldDivergeAtThePlacementWhenATieRuleIsInverted()
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(3).kvBlocks(64).build();
        final SchedulerHarness right = new SchedulerHarness(config);
        final SchedulerHarness wrong = new SchedulerHarness(config, new Scheduler(config, new InvertedTies()));
        for (final SchedulerHarness harness : new SchedulerHarness[] {right, wrong})
        {
            harness.submit(1, 1, 0, 20, 3);
            harness.wake();
        }
        assertTrue(Arrays.equals(right.groups.get(0), wrong.groups.get(0)));
        assertFalse(Arrays.equals(right.groups.get(1), wrong.groups.get(1)), "the Wake that places the request");
    }
}
